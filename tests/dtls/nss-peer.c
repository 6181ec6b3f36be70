// A DTLS-SRTP peer on NSS, for the tests: nss-peer client|server <own port> <remote port> <database> <nickname> [name=value…]
// It prints what openssl prints: the version, the suite, the profile and the keying material of RFC 5764 §4.2.
#include <nspr.h>
#include <cert.h>
#include <keyhi.h>
#include <nss.h>
#include <pk11pub.h>
#include <ssl.h>
#include <sslproto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *option(int argc, char **argv, const char *name) {
  size_t length = strlen(name);
  for (int i = 6; i < argc; i++)
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
  return NULL;
}

static int fail(const char *what) {
  printf("FAILED %s %s\n", what, PR_ErrorToName(PR_GetError()));
  return 1;
}

// Whose certificate it is, the other end proves by SDP's fingerprint, which this program does not have.
static SECStatus accept_any(void *unused, PRFileDesc *fd, PRBool check, PRBool is_server) {
  (void)unused, (void)fd, (void)check, (void)is_server;
  return SECSuccess;
}

static SECStatus own_certificate(void *nickname, PRFileDesc *fd, CERTDistNames *names, CERTCertificate **cert,
                                 SECKEYPrivateKey **key) {
  (void)fd, (void)names;
  *cert = PK11_FindCertFromNickname(nickname, NULL);
  *key = *cert == NULL ? NULL : PK11_FindKeyByAnyCert(*cert, NULL);
  return *key == NULL ? SECFailure : SECSuccess;
}

static void renegotiated(PRFileDesc *fd, void *unused) {
  (void)fd, (void)unused;
  printf("RENEGOTIATED\n");
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc == 2 && strcmp(argv[1], "--version") == 0) return puts(NSS_GetVersion()), 0;
  if (argc < 6) return 2;
  PRBool is_server = strcmp(argv[1], "server") == 0;
  if (NSS_Init(argv[4]) != SECSuccess) return fail("database");
  NSS_SetDomesticPolicy();

  PRNetAddr own, remote;
  PR_StringToNetAddr("127.0.0.1", &own);
  remote = own;
  own.inet.port = PR_htons((PRUint16)atoi(argv[2]));
  remote.inet.port = PR_htons((PRUint16)atoi(argv[3]));
  PRFileDesc *udp = PR_OpenUDPSocket(PR_AF_INET);
  if (PR_Bind(udp, &own) != PR_SUCCESS) return fail("bind");
  if (PR_Connect(udp, &remote, PR_INTERVAL_NO_TIMEOUT) != PR_SUCCESS) return fail("connect");
  PRSocketOptionData nonblocking = {.option = PR_SockOpt_Nonblocking, .value.non_blocking = PR_TRUE};
  PR_SetSocketOption(udp, &nonblocking);
  PRFileDesc *ssl = DTLS_ImportFD(NULL, udp);
  if (ssl == NULL) return fail("import");

  PRBool is_old = option(argc, argv, "dtls10") != NULL;
  PRUint16 newest = option(argc, argv, "dtls13") != NULL ? SSL_LIBRARY_VERSION_TLS_1_3 : SSL_LIBRARY_VERSION_TLS_1_2;
  SSLVersionRange range = {SSL_LIBRARY_VERSION_TLS_1_2, newest};
  if (is_old) range.min = range.max = SSL_LIBRARY_VERSION_TLS_1_1;
  if (SSL_VersionRangeSet(ssl, &range) != SECSuccess) return fail("version");
  SSL_OptionSet(ssl, is_server ? SSL_HANDSHAKE_AS_SERVER : SSL_HANDSHAKE_AS_CLIENT, PR_TRUE);
  SSL_OptionSet(ssl, SSL_ENABLE_EXTENDED_MASTER_SECRET, option(argc, argv, "ems") == NULL);
  SSL_OptionSet(ssl, SSL_NO_CACHE, PR_TRUE);
  if (option(argc, argv, "suite") != NULL) {
    int wanted = (int)strtol(option(argc, argv, "suite"), NULL, 16);
    for (PRUint16 i = 0; i < SSL_NumImplementedCiphers; i++)
      SSL_CipherPrefSet(ssl, SSL_ImplementedCiphers[i], SSL_ImplementedCiphers[i] == wanted);
  }
  const char *curve = option(argc, argv, "curve");
  if (curve != NULL) {
    SSLNamedGroup group = strcmp(curve, "x25519") == 0  ? ssl_grp_ec_curve25519
                          : strcmp(curve, "P-384") == 0 ? ssl_grp_ec_secp384r1
                                                        : ssl_grp_ec_secp256r1;
    if (SSL_NamedGroupConfig(ssl, &group, 1) != SECSuccess) return fail("curve");
  }
  const char *profile = option(argc, argv, "profile");
  PRUint16 srtp = SRTP_AES128_CM_HMAC_SHA1_80;
  if (profile != NULL && strcmp(profile, "32") == 0) srtp = SRTP_AES128_CM_HMAC_SHA1_32;
  if (profile == NULL || strcmp(profile, "none") != 0)
    if (SSL_SetSRTPCiphers(ssl, &srtp, 1) != SECSuccess) return fail("profile");
  SSL_AuthCertificateHook(ssl, accept_any, NULL);
  if (is_server) {
    CERTCertificate *cert;
    SECKEYPrivateKey *key;
    if (own_certificate(argv[5], ssl, NULL, &cert, &key) != SECSuccess) return fail("certificate");
    if (SSL_ConfigServerCert(ssl, cert, key, NULL, 0) != SECSuccess) return fail("certificate");
    SSL_OptionSet(ssl, SSL_REQUEST_CERTIFICATE, PR_TRUE);
    SSL_OptionSet(ssl, SSL_REQUIRE_CERTIFICATE, SSL_REQUIRE_ALWAYS);
  } else {
    SSL_SetURL(ssl, "sauti");
    SSL_GetClientAuthDataHook(ssl, own_certificate, argv[5]);
  }
  SSL_ResetHandshake(ssl, is_server);
  printf("READY\n");

  PRTime end = PR_Now() + 20 * PR_USEC_PER_SEC;
  for (;;) {
    if (SSL_ForceHandshake(ssl) == SECSuccess) break;
    if (PR_GetError() != PR_WOULD_BLOCK_ERROR || PR_Now() > end) return fail("handshake");
    PRIntervalTime wait = PR_MillisecondsToInterval(200);
    PRIntervalTime timer;
    if (DTLS_GetHandshakeTimeout(ssl, &timer) == SECSuccess && timer < wait) wait = timer;
    PRPollDesc poll = {.fd = ssl, .in_flags = PR_POLL_READ};
    PR_Poll(&poll, 1, wait);
  }
  SSLChannelInfo info;
  SSL_GetChannelInfo(ssl, &info, sizeof info);
  SSLCipherSuiteInfo suite;
  SSL_GetCipherSuiteInfo(info.cipherSuite, &suite, sizeof suite);
  PRUint16 chosen = 0;
  SSL_GetSRTPCipher(ssl, &chosen);
  unsigned char keys[60];
  if (SSL_ExportKeyingMaterial(ssl, "EXTRACTOR-dtls_srtp", 19, PR_FALSE, NULL, 0, keys, sizeof keys) != SECSuccess)
    return fail("export");
  printf("CONNECTED %04x %s profile=%d\n", info.protocolVersion, suite.cipherSuiteName, chosen);
  printf("Keying material: ");
  for (size_t i = 0; i < sizeof keys; i++) printf("%02X", keys[i]);
  printf("\n");
  if (option(argc, argv, "renegotiate") != NULL) {
    SSL_OptionSet(ssl, SSL_ENABLE_RENEGOTIATION, SSL_RENEGOTIATE_REQUIRES_XTN);
    SECStatus status = SSL_ReHandshake(ssl, PR_TRUE);
    printf("ASKED AGAIN %s\n", status == SECSuccess ? "" : PR_ErrorToName(PR_GetError()));
    SSL_HandshakeCallback(ssl, renegotiated, NULL);
  }
  if (option(argc, argv, "close") != NULL) return PR_Close(ssl), 0;
  for (end = PR_Now() + 15 * PR_USEC_PER_SEC; PR_Now() < end;) {
    char byte;
    PRInt32 count = PR_Recv(ssl, &byte, 1, 0, PR_INTERVAL_NO_WAIT);
    if (count == 0) {
      printf("CLOSE NOTIFY\n");
      break;
    }
    if (count < 0 && PR_GetError() != PR_WOULD_BLOCK_ERROR) {
      fail("read");
      break;
    }
    PRPollDesc poll = {.fd = ssl, .in_flags = PR_POLL_READ};
    PR_Poll(&poll, 1, PR_MillisecondsToInterval(200));
  }
  PR_Close(ssl);
  return 0;
}
