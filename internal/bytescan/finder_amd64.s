#include "textflag.h"

// What findVector does is in finder_amd64.go. Both lanes of a vector have the same 16 bytes of the text; the
// lower one is looked up in the tables of buckets 0 to 7, the upper one in those of 8 to 15. A byte of Y15 has a
// bit for each bucket that may begin at its place.

// LOOKUP looks up the bytes at a distance from the place, and leaves the buckets that accept them in Y10.
#define LOOKUP(distance, low, high) \
	VBROADCASTI128 distance(SI)(AX*1), Y9; \
	VPAND Y8, Y9, Y10; \
	VPSRLW $4, Y9, Y9; \
	VPAND Y8, Y9, Y9; \
	VPSHUFB Y10, low, Y10; \
	VPSHUFB Y9, high, Y9; \
	VPAND Y9, Y10, Y10

DATA halves<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL halves<>(SB), RODATA|NOPTR, $8

// func findVector(tables *[8][32]byte, p *byte, n int) int
TEXT ·findVector(SB), NOSPLIT, $0-32
	MOVQ tables+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ n+16(FP), CX
	VMOVDQU 0(DI), Y0
	VMOVDQU 32(DI), Y1
	VMOVDQU 64(DI), Y2
	VMOVDQU 96(DI), Y3
	VMOVDQU 128(DI), Y4
	VMOVDQU 160(DI), Y5
	VMOVDQU 192(DI), Y6
	VMOVDQU 224(DI), Y7
	VPBROADCASTQ halves<>(SB), Y8
	XORQ AX, AX

next:
	CMPQ AX, CX
	JGE done
	LOOKUP(0, Y0, Y1)
	VMOVDQA Y10, Y15
	LOOKUP(1, Y2, Y3)
	VPAND Y10, Y15, Y15
	LOOKUP(2, Y4, Y5)
	VPAND Y10, Y15, Y15
	LOOKUP(3, Y6, Y7)
	VPAND Y10, Y15, Y15
	VPTEST Y15, Y15
	JNZ found
	ADDQ $16, AX
	JMP next

found:
	VEXTRACTI128 $1, Y15, X14
	VPOR X14, X15, X15
	VPXOR X13, X13, X13
	VPCMPEQB X13, X15, X15
	VPMOVMSKB X15, DX
	NOTL DX
	BSFL DX, DX
	ADDQ DX, AX

done:
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET
