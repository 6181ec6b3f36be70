// A DTLS-SRTP peer on mbedTLS, for the tests: mbedtls-peer client|server <own port> <remote port> <certificate> <key> [name=value…]
// It prints what openssl prints: the version, the suite, the profile and the keying material of RFC 5764 §4.2.
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <mbedtls/ssl_cookie.h>
#include <mbedtls/timing.h>
#include <mbedtls/version.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct secrets {
  unsigned char master[48];
  unsigned char randoms[64];
  mbedtls_tls_prf_types prf;
  int handshakes;
};

static int keep(void *to, const unsigned char *master, const unsigned char *block, size_t maclen, size_t keylen,
                size_t ivlen, const unsigned char client[32], const unsigned char server[32],
                mbedtls_tls_prf_types prf) {
  struct secrets *secrets = to;
  (void)block, (void)maclen, (void)keylen, (void)ivlen;
  memcpy(secrets->master, master, 48);
  memcpy(secrets->randoms, client, 32);
  memcpy(secrets->randoms + 32, server, 32);
  secrets->prf = prf;
  secrets->handshakes++;
  return 0;
}

// Whose certificate it is, the other end proves by SDP's fingerprint, which this program does not have.
static int accept_any(void *unused, mbedtls_x509_crt *crt, int depth, uint32_t *flags) {
  (void)unused, (void)crt, (void)depth;
  *flags = 0;
  return 0;
}

static const char *option(int argc, char **argv, const char *name) {
  size_t length = strlen(name);
  for (int i = 6; i < argc; i++)
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
  return NULL;
}

static int fail(const char *what, int code) {
  printf("FAILED %s -0x%04x\n", what, (unsigned)-code);
  return 1;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc == 2 && strcmp(argv[1], "--version") == 0) return puts(MBEDTLS_VERSION_STRING_FULL), 0;
  if (argc < 6) return 2;
  int is_server = strcmp(argv[1], "server") == 0;
  mbedtls_entropy_context entropy;
  mbedtls_ctr_drbg_context random;
  mbedtls_ssl_config conf;
  mbedtls_ssl_context ssl;
  mbedtls_x509_crt cert;
  mbedtls_pk_context key;
  mbedtls_net_context net;
  mbedtls_timing_delay_context timer;
  mbedtls_ssl_cookie_ctx cookies;
  struct secrets secrets = {.handshakes = 0};
  mbedtls_entropy_init(&entropy);
  mbedtls_ctr_drbg_init(&random);
  mbedtls_ssl_config_init(&conf);
  mbedtls_ssl_init(&ssl);
  mbedtls_x509_crt_init(&cert);
  mbedtls_pk_init(&key);
  mbedtls_ssl_cookie_init(&cookies);
  mbedtls_ctr_drbg_seed(&random, mbedtls_entropy_func, &entropy, NULL, 0);
  mbedtls_ssl_config_defaults(&conf, is_server ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT,
                              MBEDTLS_SSL_TRANSPORT_DATAGRAM, MBEDTLS_SSL_PRESET_DEFAULT);
  mbedtls_ssl_conf_rng(&conf, mbedtls_ctr_drbg_random, &random);
  mbedtls_ssl_conf_authmode(&conf, MBEDTLS_SSL_VERIFY_REQUIRED);
  mbedtls_ssl_conf_ca_chain(&conf, &cert, NULL);
  mbedtls_ssl_conf_verify(&conf, accept_any, NULL);
  mbedtls_ssl_conf_export_keys_ext_cb(&conf, keep, &secrets);
  if (strcmp(argv[4], "-") != 0) {
    int bad = mbedtls_x509_crt_parse_file(&cert, argv[4]);
    if (bad != 0) return fail("certificate", bad);
    bad = mbedtls_pk_parse_keyfile(&key, argv[5], NULL);
    if (bad != 0) return fail("key", bad);
    mbedtls_ssl_conf_own_cert(&conf, &cert, &key);
  }
  static mbedtls_ssl_srtp_profile profiles[2] = {MBEDTLS_TLS_SRTP_AES128_CM_HMAC_SHA1_80, MBEDTLS_TLS_SRTP_UNSET};
  const char *profile = option(argc, argv, "profile");
  if (profile != NULL && strcmp(profile, "32") == 0) profiles[0] = MBEDTLS_TLS_SRTP_AES128_CM_HMAC_SHA1_32;
  if (profile == NULL || strcmp(profile, "none") != 0) mbedtls_ssl_conf_dtls_srtp_protection_profiles(&conf, profiles);
  static int suites[2];
  if (option(argc, argv, "suite") != NULL) {
    suites[0] = mbedtls_ssl_get_ciphersuite_id(option(argc, argv, "suite"));
    if (suites[0] == 0) return fail("suite", 0);
    mbedtls_ssl_conf_ciphersuites(&conf, suites);
  }
  static mbedtls_ecp_group_id curves[2] = {MBEDTLS_ECP_DP_NONE, MBEDTLS_ECP_DP_NONE};
  if (option(argc, argv, "curve") != NULL) {
    const mbedtls_ecp_curve_info *info = mbedtls_ecp_curve_info_from_name(option(argc, argv, "curve"));
    if (info == NULL) return fail("curve", 0);
    curves[0] = info->grp_id;
    mbedtls_ssl_conf_curves(&conf, curves);
  }
  if (option(argc, argv, "ems") != NULL)
    mbedtls_ssl_conf_extended_master_secret(&conf, MBEDTLS_SSL_EXTENDED_MS_DISABLED);
  // DTLS 1.0 is what mbedTLS calls TLS 1.1.
  int minor = option(argc, argv, "dtls10") != NULL ? MBEDTLS_SSL_MINOR_VERSION_2 : MBEDTLS_SSL_MINOR_VERSION_3;
  mbedtls_ssl_conf_min_version(&conf, MBEDTLS_SSL_MAJOR_VERSION_3, minor);
  mbedtls_ssl_conf_max_version(&conf, MBEDTLS_SSL_MAJOR_VERSION_3, minor);
  mbedtls_ssl_conf_renegotiation(&conf, MBEDTLS_SSL_RENEGOTIATION_ENABLED);
  mbedtls_ssl_conf_handshake_timeout(&conf, 500, 4000);
  if (is_server && option(argc, argv, "cookies") != NULL) {
    mbedtls_ssl_cookie_setup(&cookies, mbedtls_ctr_drbg_random, &random);
    mbedtls_ssl_conf_dtls_cookies(&conf, mbedtls_ssl_cookie_write, mbedtls_ssl_cookie_check, &cookies);
  } else {
    mbedtls_ssl_conf_dtls_cookies(&conf, NULL, NULL, NULL);
  }
  int bad = mbedtls_ssl_setup(&ssl, &conf);
  if (bad != 0) return fail("setup", bad);
  if (option(argc, argv, "mtu") != NULL) mbedtls_ssl_set_mtu(&ssl, (uint16_t)atoi(option(argc, argv, "mtu")));

  struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[2]))};
  struct sockaddr_in remote = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[3]))};
  inet_pton(AF_INET, "127.0.0.1", &own.sin_addr);
  inet_pton(AF_INET, "127.0.0.1", &remote.sin_addr);
  net.fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(net.fd, (struct sockaddr *)&own, sizeof own) != 0) return fail("bind", 0);
  if (connect(net.fd, (struct sockaddr *)&remote, sizeof remote) != 0) return fail("connect", 0);
  mbedtls_ssl_set_bio(&ssl, &net, mbedtls_net_send, NULL, mbedtls_net_recv_timeout);
  mbedtls_ssl_set_timer_cb(&ssl, &timer, mbedtls_timing_set_delay, mbedtls_timing_get_delay);
  mbedtls_ssl_conf_read_timeout(&conf, 15000);
  printf("READY\n");
  do {
    if (is_server) mbedtls_ssl_set_client_transport_id(&ssl, (unsigned char *)&remote, sizeof remote);
    bad = mbedtls_ssl_handshake(&ssl);
    if (bad == MBEDTLS_ERR_SSL_HELLO_VERIFY_REQUIRED) mbedtls_ssl_session_reset(&ssl);
    // Junk in front of a hello ends its handshake, and a server waits for the next one.
  } while (bad == MBEDTLS_ERR_SSL_WANT_READ || bad == MBEDTLS_ERR_SSL_WANT_WRITE ||
           bad == MBEDTLS_ERR_SSL_HELLO_VERIFY_REQUIRED);
  if (bad != 0) return fail("handshake", bad);
  mbedtls_dtls_srtp_info srtp;
  mbedtls_ssl_get_dtls_srtp_negotiation_result(&ssl, &srtp);
  unsigned char keys[60];
  mbedtls_ssl_tls_prf(secrets.prf, secrets.master, 48, "EXTRACTOR-dtls_srtp", secrets.randoms, 64, keys, sizeof keys);
  printf("CONNECTED %s %s profile=%d\n", mbedtls_ssl_get_version(&ssl), mbedtls_ssl_get_ciphersuite(&ssl),
         srtp.chosen_dtls_srtp_profile);
  printf("Keying material: ");
  for (size_t i = 0; i < sizeof keys; i++) printf("%02X", keys[i]);
  printf("\n");
  if (option(argc, argv, "renegotiate") != NULL) {
    mbedtls_ssl_conf_read_timeout(&conf, 2000);
    bad = mbedtls_ssl_renegotiate(&ssl);
    printf("ASKED AGAIN -0x%04x\n", (unsigned)-bad);
  }
  if (option(argc, argv, "close") != NULL) return mbedtls_ssl_close_notify(&ssl);
  unsigned char byte;
  do bad = mbedtls_ssl_read(&ssl, &byte, 1);
  while (bad == MBEDTLS_ERR_SSL_WANT_READ || bad == MBEDTLS_ERR_SSL_CLIENT_RECONNECT);
  if (secrets.handshakes > 1) printf("RENEGOTIATED\n");
  if (bad == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) printf("CLOSE NOTIFY\n");
  mbedtls_ssl_close_notify(&ssl);
  return 0;
}
