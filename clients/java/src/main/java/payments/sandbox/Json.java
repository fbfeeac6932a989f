package payments.sandbox;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Stream;

/** A JSON value: a response, or the body of a callback. Numbers are exact. */
public final class Json {
  private final Object value;
  private final String where;

  Json(Object value, String where) {
    this.value = value;
    this.where = where;
  }

  /** @throws IllegalArgumentException if it is not JSON */
  public static Json parse(String text) {
    return new Json(JsonText.read(text), "");
  }

  /**
   * Returns the JSON text of a value.
   *
   * @param value maps, lists, texts, numbers, booleans and {@code null}; other objects by {@link Object#toString}
   */
  public static String write(Object value) {
    return JsonText.write(value);
  }

  /**
   * Returns the value at a path of field names and list indexes: {@code get("callbacks", 0, "state")}.
   *
   * @throws NoSuchElementException with the existing fields
   */
  public Json get(Object... path) {
    Json found = this;
    for (Object part : path) found = part instanceof Integer index ? found.item(index) : found.field(part.toString());
    return found;
  }

  /** Whether it has this field. */
  public boolean has(String field) {
    return value instanceof Map<?, ?> fields && fields.containsKey(field);
  }

  public boolean isNull() {
    return value == null;
  }

  /** Returns a text unchanged and other values as JSON. */
  public String asText() {
    return value instanceof String text ? text : write(value);
  }

  public BigDecimal asNumber() {
    return need(BigDecimal.class, "number");
  }

  public int asInt() {
    return asNumber().intValueExact();
  }

  public long asLong() {
    return asNumber().longValueExact();
  }

  public boolean asBoolean() {
    return need(Boolean.class, "boolean");
  }

  /** The items of a list. */
  public List<Json> items() {
    List<?> items = need(List.class, "list");
    return Stream.iterate(0, index -> index < items.size(), index -> index + 1).map(this::item).toList();
  }

  /** The names of the fields, in their order. */
  public List<String> names() {
    Map<?, ?> fields = need(Map.class, "object");
    return fields.keySet().stream().map(Object::toString).toList();
  }

  /** Returns maps, lists, texts, {@link BigDecimal} and booleans. */
  public Object value() {
    return value;
  }

  private Json field(String name) {
    Map<?, ?> fields = need(Map.class, "object");
    if (!fields.containsKey(name))
      throw new NoSuchElementException("there is no " + where + "." + name + Words.suggestion(name, names()));
    return new Json(fields.get(name), where + "." + name);
  }

  private Json item(int index) {
    List<?> items = need(List.class, "list");
    if (index < 0 || index >= items.size())
      throw new NoSuchElementException("there is no " + where + "[" + index + "]: it has " + items.size());
    return new Json(items.get(index), where + "[" + index + "]");
  }

  private <T> T need(Class<T> type, String name) {
    if (type.isInstance(value)) return type.cast(value);
    throw new IllegalStateException((where.isEmpty() ? "it" : where) + " is no " + name + ": " + write(value));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Json json && write(value).equals(write(json.value));
  }

  @Override
  public int hashCode() {
    return write(value).hashCode();
  }

  @Override
  public String toString() {
    return write(value);
  }
}
