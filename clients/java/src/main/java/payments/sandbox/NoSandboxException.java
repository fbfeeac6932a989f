package payments.sandbox;

/** No sandbox could be started, or none responds at the address. */
public final class NoSandboxException extends RuntimeException {
  NoSandboxException(String message) {
    super(message);
  }

  NoSandboxException(String message, Throwable cause) {
    super(message, cause);
  }
}
