package payments.sandbox;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The operations of a sandbox by name. The descriptions are read on first use. */
final class Operations {
  private static final List<String> METHODS = List.of("get", "put", "post", "delete", "patch");

  private final Connection connection;
  private Map<String, Place> places;

  Operations(Connection connection) {
    this.connection = connection;
  }

  /** The method, path and parameters of an operation. */
  record Place(String name, String method, String path, List<String> inPath, List<String> inQuery) {
    /** @throws IllegalArgumentException with all unknown and missing parameters */
    String pathWith(Map<String, ?> given) {
      List<String> known = Stream.concat(inPath.stream(), inQuery.stream()).toList();
      List<String> faults = new ArrayList<>();
      for (String each : given.keySet())
        if (!known.contains(each)) faults.add(each + " is not known here" + Words.suggestion(each, known));
      for (String each : inPath) if (!given.containsKey(each)) faults.add(each + " is missing");
      if (!faults.isEmpty())
        throw new IllegalArgumentException(name + " (" + method + " " + path + "): " + String.join("; ", faults));
      String filled = path;
      for (String each : inPath) filled = filled.replace("{" + each + "}", Connection.part(given.get(each)));
      return filled;
    }

    Map<String, Object> queryWith(Map<String, ?> given) {
      Map<String, Object> query = new LinkedHashMap<>(given);
      inPath.forEach(query::remove);
      return query;
    }
  }

  /** @throws IllegalArgumentException with the nearest name if there is no such operation */
  synchronized Place place(String name) {
    if (places == null) {
      Map<String, Place> read = new LinkedHashMap<>();
      for (String path : List.of("/openapi.json", "/sandbox/openapi.json")) addPlaces(connection.ask("GET", path), read);
      places = read;
    }
    if (!places.containsKey(name))
      throw new IllegalArgumentException("there is no operation " + name + Words.suggestion(name, places.keySet()));
    return places.get(name);
  }

  private static void addPlaces(Json description, Map<String, Place> places) {
    Json paths = description.get("paths");
    for (String path : paths.names())
      for (String method : METHODS)
        if (paths.get(path).has(method)) {
          Json operation = paths.get(path, method);
          List<Json> parameters = Stream.of(paths.get(path), operation)
              .filter(each -> each.has("parameters"))
              .flatMap(each -> each.get("parameters").items().stream())
              .map(each -> resolved(description, each))
              .toList();
          String name = operation.get("operationId").asText();
          places.put(name, new Place(name, method.toUpperCase(), path, names(parameters, "path"), names(parameters, "query")));
        }
  }

  private static List<String> names(List<Json> parameters, String where) {
    return parameters.stream()
        .filter(each -> each.get("in").asText().equals(where))
        .map(each -> each.get("name").asText())
        .distinct()
        .toList();
  }

  private static Json resolved(Json description, Json parameter) {
    if (!parameter.has("$ref")) return parameter;
    Object[] path = parameter.get("$ref").asText().replaceFirst("^#/", "").split("/");
    return resolved(description, description.get(path));
  }
}
