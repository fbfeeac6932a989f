package payments.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A connection to a sandbox with an API key. */
final class Connection {
  /** The sandbox waits at most 60 s. */
  private static final Duration LONGEST = Duration.ofSeconds(90);

  private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  final String url;
  final String username;
  final String password;
  final String authorization;

  Connection(String url, String username, String password) {
    this.url = url.replaceAll("/+$", "");
    this.username = username;
    this.password = password;
    String both = username + ":" + password;
    authorization = "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the body; text that is not JSON as a JSON text. @throws SandboxException for a status of 400 or higher */
  Json ask(String method, String path, Object body, Map<String, ?> query) {
    return accepted(method, path, body, query, Map.of()).value();
  }

  Json ask(String method, String path, Object body) {
    return ask(method, path, body, Map.of());
  }

  Json ask(String method, String path) {
    return ask(method, path, null, Map.of());
  }

  /** Returns all items of a list across its pages, newest first. */
  List<Json> all(String path, String field, Map<String, ?> query) {
    List<Json> found = new ArrayList<>();
    Map<String, Object> asked = new HashMap<>(query);
    asked.putIfAbsent("limit", 1000);
    while (true) {
      Json page = ask("GET", path, null, asked);
      found.addAll(page.get(field).items());
      if (page.get("next_before").isNull()) return found;
      asked.put("before", page.get("next_before").asText());
    }
  }

  /**
   * Sends a request. Returns the response whatever its status.
   *
   * @param body text is sent unchanged, everything else as JSON
   * @throws NoSandboxException if nothing responds
   * @throws UncheckedIOException if the connection breaks
   */
  Answer send(String method, String path, Object body, Map<String, ?> query, Map<String, String> headers) {
    String text = body == null ? null : body instanceof String own ? own : Json.write(body);
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path + queryOf(query)))
        .timeout(LONGEST)
        .method(method, text == null ? BodyPublishers.noBody() : BodyPublishers.ofString(text))
        .header("Authorization", authorization);
    if (text != null && !(body instanceof String)) request.header("Content-Type", "application/json");
    headers.forEach(request::setHeader);
    try {
      HttpResponse<String> answer = CLIENT.send(request.build(), BodyHandlers.ofString());
      Map<String, String> named = new HashMap<>();
      answer.headers().map().forEach((name, values) -> named.put(name.toLowerCase(), String.join(", ", values)));
      return new Answer(answer.statusCode(), named, answer.body());
    } catch (ConnectException refused) {
      throw new NoSandboxException("no sandbox answers at " + url + ": start one there, or correct the address", refused);
    } catch (IOException broken) {
      throw new UncheckedIOException(method + " " + path + ": " + broken.getMessage(), broken);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(method + " " + path + " was interrupted", interrupted);
    }
  }

  /** @throws SandboxException for a status of 400 or higher */
  Answer accepted(String method, String path, Object body, Map<String, ?> query, Map<String, String> headers) {
    Answer answer = send(method, path, body, query, headers);
    if (answer.status() < 400) return answer;
    String asked = method + " " + path;
    if (answer.status() == 401 && username.contains("+w-"))
      throw new SandboxException(asked, answer, ": the world of " + username
          + " has ended: it was deleted, or not used for too long; create another one");
    throw new SandboxException(asked, answer, answer.status() == 404 ? versions(path, answer) : "");
  }

  /** Returns both versions for the end of the message if the sandbox has no such path. */
  private String versions(String path, Answer answer) {
    if (!answer.text().contains("path " + path + " was not found")) return "";
    Answer version = send("GET", "/__admin/version", null, Map.of(), Map.of());
    String theirs = version.status() == 200 ? version.json().get("version").asText() : "of another version";
    if (theirs.equals(Sandbox.VERSION)) return "";
    return ": the sandbox is " + theirs + " and this client is " + Sandbox.VERSION + "; use the sandbox of this version";
  }

  /** Encodes a segment of a path. */
  static String part(Object value) {
    return URLEncoder.encode(value.toString(), StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String queryOf(Map<String, ?> query) {
    if (query.isEmpty()) return "";
    return query.entrySet().stream()
        .map(each -> part(each.getKey()) + "=" + part(each.getValue()))
        .collect(Collectors.joining("&", "?", ""));
  }
}
