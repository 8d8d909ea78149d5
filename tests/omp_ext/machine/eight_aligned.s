# A shared library whose notes are aligned to 8 bytes, the build id behind another one.
        .text
        .globl  anchor
anchor: ret

        .section .note.first,"a",@note
        .balign 8
        .long   4, 4, 77
        .asciz  "Big"
        .long   1
        .balign 8
        .long   4, 6, 3
        .asciz  "GNU"
        .byte   0xab, 0xcd, 0xef, 0x01, 0x23, 0x45
        .balign 8

        .section .note.GNU-stack,"",@progbits
