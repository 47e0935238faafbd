/* Put above every source with planted faults (together.py). */
extern unsigned char pto_planted_awake[], *pto_planted_passed;

/* Is fault `n` awake?  Notes that its place was passed. */
static inline int pto_planted(int n)
{
    if (pto_planted_passed)
        pto_planted_passed[n] = 1;
    return pto_planted_awake[n];
}
