/*
 * The least that any relay must do on Linux: one socket a leg, epoll, recvfrom, twelve bytes rewritten, sendto.
 * relay LEGS, then the port of each leg's peer on standard input; it answers with its own ports, one a line, on 127.0.0.1.
 * Leg 0 is bridged with leg 1, 2 with 3 and so on. It ends with its standard input.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct leg { int fd; struct sockaddr_in peer; uint16_t sequence; };

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 0;
  struct leg *legs = calloc(count > 0 ? count : 1, sizeof *legs);
  int queue = epoll_create1(0);
  if (count <= 0 || count % 2 || !legs || queue < 0) return 2;
  for (int i = 0; i < count; i++) {
    int port;
    struct sockaddr_in own = {.sin_family = AF_INET};
    socklen_t length = sizeof own;
    if (scanf("%d", &port) != 1) return 2;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    legs[i].peer = own;
    legs[i].peer.sin_port = htons(port);
    legs[i].fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    if (bind(legs[i].fd, (struct sockaddr *)&own, length) || getsockname(legs[i].fd, (struct sockaddr *)&own, &length)) return 1;
    printf("%d\n", ntohs(own.sin_port));
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = i};
    if (epoll_ctl(queue, EPOLL_CTL_ADD, legs[i].fd, &wanted)) return 1;
  }
  fflush(stdout);
  struct epoll_event end = {.events = EPOLLIN | EPOLLHUP, .data.u32 = UINT32_MAX};
  epoll_ctl(queue, EPOLL_CTL_ADD, 0, &end);
  for (;;) {
    struct epoll_event ready[256];
    int events = epoll_wait(queue, ready, 256, -1);
    for (int e = 0; e < events; e++) {
      uint32_t at = ready[e].data.u32;
      uint8_t packet[2048];
      if (at == UINT32_MAX) return 0;
      struct leg *other = &legs[at ^ 1];
      ssize_t bytes = recvfrom(legs[at].fd, packet, sizeof packet, 0, NULL, NULL);
      if (bytes < 12) continue;
      uint16_t sequence = htons(other->sequence++);
      uint32_t source = htonl(at);
      memcpy(packet + 2, &sequence, 2);
      memcpy(packet + 8, &source, 4);
      sendto(other->fd, packet, bytes, 0, (struct sockaddr *)&other->peer, sizeof other->peer);
    }
  }
}
