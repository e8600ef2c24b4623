#ifndef TRACE_PARTS_GLSL
#define TRACE_PARTS_GLSL

// What a kernel tells a trace that does several parts of a job in one dispatch, unit after unit. All of a subgroup
// calls. Only a traced build of a kernel whose parts the host names has code for it (lab/trace_parts.glsl).
#ifdef TRACE_PARTS
// What this wave does now, and did since its last unit ended or it began, is this unit of this part.
void trace_part(uint part, uint unit);
// How far it is: the `n`th stretch behind trace_part is over. One may be left out.
void trace_stamp(uint n);
// The unit is done. Behind the last one this may be left to the kernel's end.
void trace_end();
#else
#define trace_part(part, unit)
#define trace_stamp(n)
#define trace_end()
#endif

#endif
