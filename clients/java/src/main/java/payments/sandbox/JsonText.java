package payments.sandbox;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Reads and writes JSON (RFC 8259), without a library. */
final class JsonText {
  /** Deeper than any response of the sandbox. */
  private static final int DEEPEST = 200;

  private final String text;
  private int at;

  private JsonText(String text) {
    this.text = text;
  }

  static Object read(String text) {
    JsonText reader = new JsonText(text);
    Object value = reader.value(0);
    reader.skip();
    if (reader.at < text.length()) throw reader.wrong("the end");
    return value;
  }

  static String write(Object value) {
    if (value instanceof Json json) return write(json.value());
    if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
    if (value instanceof Map<?, ?> map) {
      StringJoiner fields = new StringJoiner(",", "{", "}");
      map.forEach((name, each) -> fields.add(quoted(name.toString()) + ":" + write(each)));
      return fields.toString();
    }
    if (value instanceof Iterable<?> list) {
      StringJoiner items = new StringJoiner(",", "[", "]");
      list.forEach(each -> items.add(write(each)));
      return items.toString();
    }
    return quoted(value.toString());
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    text.chars().forEach(each -> {
      if (each == '"' || each == '\\') out.append('\\').append((char) each);
      else if (each < ' ') out.append(String.format("\\u%04x", each));
      else out.append((char) each);
    });
    return out.append('"').toString();
  }

  private Object value(int depth) {
    if (depth > DEEPEST) throw new IllegalArgumentException("JSON nested deeper than " + DEEPEST);
    skip();
    char first = at < text.length() ? text.charAt(at) : 0;
    return switch (first) {
      case '{' -> object(depth);
      case '[' -> list(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> fields = new LinkedHashMap<>();
    at++;
    if (took('}')) return fields;
    do {
      skip();
      String name = string();
      need(':');
      fields.put(name, value(depth + 1));
    } while (took(','));
    need('}');
    return fields;
  }

  private List<Object> list(int depth) {
    List<Object> items = new ArrayList<>();
    at++;
    if (took(']')) return items;
    do items.add(value(depth + 1));
    while (took(','));
    need(']');
    return items;
  }

  private String string() {
    if (at >= text.length() || text.charAt(at) != '"') throw wrong("a text");
    StringBuilder out = new StringBuilder();
    for (at++; ; at++) {
      if (at >= text.length()) throw wrong("the end of a text");
      char each = text.charAt(at);
      if (each == '"') break;
      out.append(each == '\\' ? escaped() : each);
    }
    at++;
    return out.toString();
  }

  private char escaped() {
    char kind = ++at < text.length() ? text.charAt(at) : 0;
    if (kind == 'u' && at + 4 < text.length()) {
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
    }
    int known = "\"\\/bfnrt".indexOf(kind);
    if (known < 0) throw wrong("an escape");
    return "\"\\/\b\f\n\r\t".charAt(known);
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) throw wrong("a value");
    at += word.length();
    return value;
  }

  private BigDecimal number() {
    int from = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
    try {
      return new BigDecimal(text.substring(from, at));
    } catch (NumberFormatException notOne) {
      at = from;
      throw wrong("a value");
    }
  }

  private void skip() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private boolean took(char wanted) {
    skip();
    if (at >= text.length() || text.charAt(at) != wanted) return false;
    at++;
    return true;
  }

  private void need(char wanted) {
    if (!took(wanted)) throw wrong("'" + wanted + "'");
  }

  private IllegalArgumentException wrong(String wanted) {
    String there = at < text.length() ? text.substring(at, Math.min(at + 20, text.length())) : "the end";
    return new IllegalArgumentException("no JSON: " + wanted + " is wanted at " + at + ", got " + there);
  }
}
