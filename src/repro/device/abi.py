"""What Python and the emulator's C++ hand each other: mirrors of the structs in emulated_cuda/state.hpp."""

import ctypes


class Memory(ctypes.Structure):
    """One array of the device."""

    _fields_ = [("begin", ctypes.c_void_p), ("end", ctypes.c_void_p), ("name", ctypes.c_char * 112)]


class TrafficRow(ctypes.Structure):
    """What the accesses of one kind at one place of the code came to."""

    _fields_ = [
        ("place", ctypes.c_uint64),
        ("shared", ctypes.c_uint32),
        ("operation", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in ("requests", "lanes", "sectors", "transactions", "passes")),
    ]


class Launch(ctypes.Structure):
    """One launch, shared by all host threads that work on it."""

    _fields_ = [
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint64),
        ("arguments", ctypes.c_void_p),
        ("order", ctypes.c_uint32),
        ("chunk", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
        ("next_block", ctypes.c_uint64),
        ("cooperative", ctypes.c_uint32),
        ("workers", ctypes.c_uint32),
        ("working", ctypes.c_uint32),
        ("failed", ctypes.c_uint32),
        ("error", ctypes.c_char * 1008),
        ("memories", ctypes.POINTER(Memory)),
        ("memory_count", ctypes.c_uint64),
        ("traffic", ctypes.POINTER(TrafficRow)),
        ("traffic_count", ctypes.c_uint64),
    ]
