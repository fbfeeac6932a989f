package payments.sandbox;

import java.util.Map;

/** A request was rejected. */
public final class SandboxException extends RuntimeException {
  private final int status;
  private final transient Json body;

  SandboxException(String asked, Answer answer, String remedy) {
    super(asked + ": " + said(answer) + remedy);
    status = answer.status();
    body = json(answer);
  }

  public int status() {
    return status;
  }

  /** {@code error_code} of the response; empty if there is none. */
  public String code() {
    return body.has("error_code") ? body.get("error_code").asText() : "";
  }

  /** The response body; without fields if it is not JSON. */
  public Json body() {
    return body;
  }

  private static Json json(Answer answer) {
    return answer.isJson() ? answer.json() : new Json(Map.of(), "");
  }

  private static String said(Answer answer) {
    Json body = json(answer);
    return body.has("error_message") ? body.get("error_message").asText() : "answered " + answer.status();
  }
}
