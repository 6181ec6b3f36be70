import { endianness } from 'node:os'
import koffi from 'koffi'

/** The calls of the C library that media needs. Pointers are bigints, results are −1 with `errno()` on failure. */
interface LibC {
  socket(domain: number, type: number, protocol: number): number
  bind(fd: number, address: bigint, length: number): number
  getsockname(fd: number, address: bigint, length: bigint): number
  getsockopt(fd: number, level: number, option: number, value: bigint, length: bigint): number
  setsockopt(fd: number, level: number, option: number, value: bigint, length: number): number
  close(fd: number): number
  recvfrom(fd: number, bytes: bigint, length: number, flags: number, address: bigint, addressLength: bigint): number
  sendto(fd: number, bytes: bigint, length: number, flags: number, address: bigint, addressLength: number): number
  recvmmsg(fd: number, messages: bigint, count: number, flags: number, timeout: bigint): number
  sendmmsg(fd: number, messages: bigint, count: number, flags: number): number
  epoll_create1(flags: number): number
  epoll_ctl(epoll: number, operation: number, fd: number, event: bigint): number
  epoll_wait(epoll: number, events: bigint, count: number, timeoutMs: number): number
  usleep(micros: number): number
  sched_getcpu(): number
  sched_getaffinity(thread: number, length: number, mask: bigint): number
  sched_setaffinity(thread: number, length: number, mask: bigint): number
}

/**
 * A block outside the garbage collector's heap: it never moves. It lives as long as `buffer` is held, and ends with its thread, so that
 * a media thread that dies leaves nothing behind: who gives its address to the kernel holds the buffer meanwhile.
 */
export interface FixedMemory {
  readonly buffer: ArrayBuffer
  readonly address: bigint
}

export interface NativeCalls {
  readonly libc: LibC
  errno(): number
  allocate(bytes: number): FixedMemory
}

/** Undefined where our layouts of the kernel's structures do not hold, or the library cannot be loaded. */
export const loadLibC = (): NativeCalls | undefined => {
  const known = process.arch === 'x64' || process.arch === 'arm64'
  if (process.platform !== 'linux' || !known || endianness() !== 'LE') return undefined
  try {
    const library = koffi.load(null)
    const libc: LibC = {
      socket: library.func('socket', 'int', ['int', 'int', 'int']),
      bind: library.func('bind', 'int', ['int', 'uint64', 'uint32']),
      getsockname: library.func('getsockname', 'int', ['int', 'uint64', 'uint64']),
      getsockopt: library.func('getsockopt', 'int', ['int', 'int', 'int', 'uint64', 'uint64']),
      setsockopt: library.func('setsockopt', 'int', ['int', 'int', 'int', 'uint64', 'uint32']),
      close: library.func('close', 'int', ['int']),
      recvfrom: library.func('recvfrom', 'int', ['int', 'uint64', 'uint32', 'int', 'uint64', 'uint64']),
      sendto: library.func('sendto', 'int', ['int', 'uint64', 'uint32', 'int', 'uint64', 'uint32']),
      recvmmsg: library.func('recvmmsg', 'int', ['int', 'uint64', 'uint32', 'int', 'uint64']),
      sendmmsg: library.func('sendmmsg', 'int', ['int', 'uint64', 'uint32', 'int']),
      epoll_create1: library.func('epoll_create1', 'int', ['int']),
      epoll_ctl: library.func('epoll_ctl', 'int', ['int', 'int', 'int', 'uint64']),
      epoll_wait: library.func('epoll_wait', 'int', ['int', 'uint64', 'int', 'int']),
      usleep: library.func('usleep', 'int', ['uint32']),
      sched_getcpu: library.func('sched_getcpu', 'int', []),
      sched_getaffinity: library.func('sched_getaffinity', 'int', ['int', 'size_t', 'uint64']),
      sched_setaffinity: library.func('sched_setaffinity', 'int', ['int', 'size_t', 'uint64']),
    }
    return {
      libc,
      errno: () => koffi.errno(),
      allocate: bytes => {
        const buffer = new ArrayBuffer(bytes)
        return { buffer, address: koffi.address(buffer) }
      },
    }
  } catch {
    return undefined
  }
}
