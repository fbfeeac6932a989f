package payments.sandbox;

import java.util.Collection;
import java.util.Comparator;

/** Checks words, and suggests the one that was probably meant. */
final class Words {
  private Words() {}

  /** Returns the nearest word, or all words if none is near, for the end of a message. */
  static String suggestion(String word, Collection<String> known) {
    return known.stream()
        .filter(each -> distance(word, each) <= Math.max(word.length(), each.length()) / 2)
        .min(Comparator.comparingInt(each -> distance(word, each)))
        .map(near -> " (did you mean " + near + "?)")
        .orElse(known.isEmpty() ? " (it takes none)" : " (known are " + String.join(", ", known) + ")");
  }

  /** @throws IllegalArgumentException if the text is null or empty, with which a request would have another meaning */
  static String required(String name, String accepted, String text) {
    if (text != null && !text.isEmpty()) return text;
    throw new IllegalArgumentException(name + " must be " + accepted + ", got " + (text == null ? "null" : "an empty text"));
  }

  /** Levenshtein's distance, in one row that is written over. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) row[j] = j;
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int above = row[j];
        int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(changed, Math.min(above, row[j - 1]) + 1);
        diagonal = above;
      }
    }
    return row[to.length()];
  }
}
