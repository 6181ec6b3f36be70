import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemCallsIn } from '../../bench/load/system-calls.ts'

test('system calls are counted by name, with and without the number of the thread', () => {
  const { counts, waiting } = systemCallsIn(
    [
      'epoll_pwait(15, [{events=EPOLLIN, data={u32=19, u64=19}}], 1024, 0, NULL, 8) = 1',
      '1234 read(19, ""..., 1024) = 8',
      '[pid 1234] write(21, ""..., 8) = 8',
      'sendto(24, ""..., 400, 0, {sa_family=AF_INET, sin_port=htons(5060), sin_addr=inet_addr("127.0.0.1")}, 16) = 400',
      '--- SIGCHLD {si_signo=SIGCHLD} ---',
      '<... futex resumed>) = 0',
      '',
    ].join('\n'),
  )
  assert.equal(counts, { epoll_pwait: 1, read: 1, write: 1, sendto: 1 })
  assert.equal(waiting, [])
})

test('what waits for a disk, a file or a name is kept as it was written', () => {
  const lines = [
    'fdatasync(12) = 0',
    'openat(AT_FDCWD, "/proc/self/stat", O_RDONLY|O_CLOEXEC) = 128',
    'newfstatat(AT_FDCWD, "/etc/resolv.conf", {st_mode=S_IFREG|0644, st_size=0, ...}, 0) = 0',
    'pwrite64(12, ""..., 4096, 0) = 4096',
    'connect(30, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0',
    'sendto(30, ""..., 40, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 40',
  ]
  const others = [
    'connect(30, {sa_family=AF_INET, sin_port=htons(5060), sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
    'mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0) = 0x7f',
    'recvmmsg(24, [{msg_hdr={msg_namelen=16}}], 64, MSG_DONTWAIT, NULL) = 1',
  ]
  assert.equal(systemCallsIn([...lines, ...others].join('\n')).waiting, lines)
})

test.run()
