package payments.sandbox;

/** The address of receivers on this machine for a sandbox. */
record Reach(boolean inContainer) {
  private static final String TOLD = System.getenv("PAYMENTS_SANDBOX_CALLBACK_HOST");

  /** The address that a receiver listens at. A sandbox in a container uses an address that is not loopback. */
  String bind() {
    return inContainer || TOLD != null ? "0.0.0.0" : "127.0.0.1";
  }

  /** The host name of the receiver for the sandbox. */
  String host() {
    return TOLD != null ? TOLD : "127.0.0.1";
  }
}
