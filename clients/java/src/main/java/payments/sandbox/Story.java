package payments.sandbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The history of a world as text, for the output of a failing test. */
final class Story {
  private static final int TRANSACTIONS = 5;
  private static final int REQUESTS = 5;

  private final Connection connection;

  Story(Connection connection) {
    this.connection = connection;
  }

  String text() {
    Json clock = connection.ask("GET", "/sandbox/clock");
    String pace = clock.get("frozen").asBoolean()
        ? "and the clock is frozen: nothing happens until you advance or settle it"
        : clock.get("speed").asText() + " times as fast as real time";
    List<String> lines = new ArrayList<>(List.of("The world's time is " + clock.get("now").asText() + ", " + pace + "."));
    List<Json> transactions = list("/sandbox/transactions", "transactions", TRANSACTIONS);
    for (int at = transactions.size() - 1; at >= 0; at--) addTransaction(lines, transactions.get(at));
    List<Json> refused = list("/sandbox/requests", "requests", 100).stream()
        .filter(each -> !each.get("status").isNull() && each.get("status").asInt() >= 400)
        .limit(REQUESTS)
        .toList();
    if (!refused.isEmpty()) lines.addAll(List.of("", "Rejected requests:"));
    for (int at = refused.size() - 1; at >= 0; at--) lines.add("  " + shortOf(refused.get(at)));
    if (transactions.isEmpty() && refused.isEmpty())
      lines.add("No request reached the service in this world: does your application use its address and credentials?");
    return String.join("\n", lines);
  }

  private void addTransaction(List<String> lines, Json transaction) {
    String reference = transaction.get("reference").asText();
    Json told = connection.ask("GET", "/sandbox/transactions/" + Connection.part(reference) + "/timeline");
    String own = transaction.get("external_reference").asText();
    lines.add("");
    lines.add(reference + (own.isEmpty() ? "" : " (" + own + ")") + ": " + transaction.get("amount", "currency").asText() + " "
        + transaction.get("amount", "amount").asText() + ", " + told.get("status").asText()
        + (transaction.get("reason").isNull() ? "" : ", " + transaction.get("reason").asText())
        + (transaction.get("scenario").isNull() ? "" : ", by the scenario " + transaction.get("scenario").asText()));
    addEvents(lines, told.get("events").items());
    for (Json each : told.get("planned").items())
      lines.add(line(each.get("due_at"), "planned", each.get("kind").asText() + " " + each.get("outcome").asText()));
    TreeSet<Long> callbacks = new TreeSet<>();
    for (Json each : told.get("events").items()) if (!each.get("callback").isNull()) callbacks.add(each.get("callback").asLong());
    for (long id : callbacks) {
      List<Json> attempts = connection.ask("GET", "/sandbox/callbacks/" + id).get("attempts").items();
      String advice = attempts.isEmpty() ? "" : attempts.get(attempts.size() - 1).get("advice").asText();
      if (!advice.isEmpty()) lines.add("  callback " + id + ": " + advice);
    }
  }

  /** Returns one line per event; equal attempts share two lines. */
  private static void addEvents(List<String> lines, List<Json> events) {
    String before = "";
    int more = 0;
    for (Json each : events) {
      String kind = each.get("kind").asText();
      String summary = each.get("summary").asText().replaceFirst("; next attempt .*", "");
      String now = kind + each.get("callback") + summary;
      if (!kind.equals("attempt") || !now.equals(before)) {
        more = 0;
        lines.add(line(each.get("at"), kind, summary));
      } else {
        // The previous line is the first attempt, or the count of the others.
        if (more++ > 0) lines.remove(lines.size() - 1);
        lines.add(line(each.get("at"), kind, "the same, " + more + " more until then"));
      }
      before = now;
    }
  }

  private static String line(Json at, String kind, String what) {
    return String.format("  %s  %-9s %s", at.asText().substring(11).replace("Z", ""), kind, what).stripTrailing();
  }

  private static String shortOf(Json request) {
    Json answer = request.get("response");
    String said = answer.value() instanceof Map<?, ?> && answer.has("error_message") ? ": " + answer.get("error_message").asText() : "";
    return request.get("id").asText() + ": " + request.get("method").asText() + " " + request.get("path").asText() + " answered "
        + request.get("status").asText() + said;
  }

  private List<Json> list(String path, String field, int limit) {
    return connection.ask("GET", path, null, Map.of("limit", limit)).get(field).items();
  }
}
