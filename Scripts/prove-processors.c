// Answers each cpuid that `Scripts/prove-processors` replaced with ud2. The answer leaves out the instructions in MISSING,
// and those that build on them. The script preloads this library.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define BIT(number) (1u << (number))

static void answer(int signal_number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)registers[REG_RIP];
    if (code[0] != 0x0f || code[1] != 0x0b) {
        signal(signal_number, SIG_DFL);
        return;
    }
    const char *missing = getenv("MISSING");
    int noAVX = missing && !strcmp(missing, "AVX");
    int noAVX2 = noAVX || (missing && !strcmp(missing, "AVX2"));
    int noAVX512 = noAVX2 || (missing && !strcmp(missing, "AVX-512"));
    unsigned leaf = registers[REG_RAX], part = registers[REG_RCX], a, b, c, d;
    __cpuid_count(leaf, part, a, b, c, d);
    if (leaf == 7 && part == 0) {
        // All parts of AVX-512, and AMX.
        if (noAVX512) {
            b &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31));
            c &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));
            d &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25));
        }
        if (noAVX2) {
            b &= ~BIT(5);
            c &= ~(BIT(9) | BIT(10));  // VAES and VPCLMULQDQ.
        }
    }
    // AVX-VNNI and related instructions, which are newer than AVX-512.
    if (leaf == 7 && part == 1 && noAVX512) a = b = c = d = 0;
    if (leaf == 1) {
        if (noAVX2) c &= ~(BIT(12) | BIT(29));             // FMA and F16C.
        if (noAVX) c &= ~(BIT(26) | BIT(27) | BIT(28));    // XSAVE, OSXSAVE and AVX.
    }
    registers[REG_RAX] = a;
    registers[REG_RBX] = b;
    registers[REG_RCX] = c;
    registers[REG_RDX] = d;
    registers[REG_RIP] += 2;
}

// Runs before the library's initializers, which use cpuid (`-z initfirst`). The environment does not exist yet.
__attribute__((constructor)) static void begin(void) {
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGILL, &action, NULL);
}
