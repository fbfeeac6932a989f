package payments.sandbox;

/** How a sandbox finds a receiver on this machine. */
record Reach(boolean inContainer) {
  private static final String TOLD = System.getenv("PAYMENTS_SANDBOX_CALLBACK_HOST");

  /** Where a receiver listens. A sandbox in a container calls the machine by an address that is not loopback. */
  String bind() {
    return inContainer || TOLD != null ? "0.0.0.0" : "127.0.0.1";
  }

  /** By which name the sandbox finds it; in a container it looks for 127.0.0.1 at the machine that it runs on. */
  String host() {
    return TOLD != null ? TOLD : "127.0.0.1";
  }
}
