/** Code samples that verify signatures: functions of the secret, the lower-case headers and the raw body. */

interface Scheme {
  readonly hash: 'sha256' | 'sha512'
  readonly encoding: 'base64' | 'hex'
  /** Whether the key is the decoded part after `whsec_` instead of the text. */
  readonly decoded: boolean
  readonly header: string
  readonly mark: string
  /** Separator of several signatures in the header. */
  readonly between: ' ' | ',' | ''
  /** The signed text before the body. */
  readonly before: 'id and time' | 'time' | 'nothing'
}

const hmac = { hash: 'sha256', encoding: 'hex', decoded: false, between: '', before: 'nothing' } as const

const schemes: { readonly [profile: string]: Scheme } = {
  standard: {
    ...hmac,
    encoding: 'base64',
    decoded: true,
    header: 'webhook-signature',
    mark: 'v1,',
    between: ' ',
    before: 'id and time',
  },
  stripe: { ...hmac, header: 'stripe-signature', mark: 'v1=', between: ',', before: 'time' },
  github: { ...hmac, header: 'x-hub-signature-256', mark: 'sha256=' },
  'hmac-sha512': { ...hmac, hash: 'sha512', header: 'x-signature', mark: '' },
}

type Pieces = Scheme & {
  /** Selects by the signed text before the body. */
  readonly by: (idAndTime: string | false, time: string | false, nothing: string | false) => string | false
}

/** Joins lines and skips those that a profile does not need. */
const lines = (...all: readonly (string | false)[]) => all.filter((each) => each !== false).join('\n')

const languages: { readonly [language: string]: (of: Pieces) => string } = {
  'Node.js': ({ hash, encoding, decoded, header, mark, between, by }) =>
    lines(
      'import { createHmac, timingSafeEqual } from "node:crypto"',
      '',
      'export function verify(secret, headers, body) {',
      decoded
        ? `  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')`
        : `  const key = Buffer.from(secret)`,
      by(
        `  const time = headers['webhook-timestamp']`,
        `  const time = /t=(\\d+)/.exec(headers['${header}'])[1]`,
        false,
      ),
      `  const expected = createHmac('${hash}', key)`,
      by("    .update(`${headers['webhook-id']}.${time}.`)", '    .update(`${time}.`)', false),
      `    .update(body)`,
      `    .digest('${encoding}')`,
      between
        ? `  const given = headers['${header}'].split('${between}').map((each) => each.replace('${mark}', ''))`
        : `  const given = [headers['${header}']${mark && `.replace('${mark}', '')`}]`,
      by(
        '  if (Math.abs(Date.now() / 1000 - time) > 300) return false',
        '  if (Math.abs(Date.now() / 1000 - time) > 300) return false',
        false,
      ),
      '  return given.some((each) => each.length === expected.length && timingSafeEqual(Buffer.from(each), Buffer.from(expected)))',
      '}',
    ),
  Python: ({ hash, encoding, decoded, header, mark, between, by }) =>
    lines(
      `import base64, hashlib, hmac, re, time`,
      '',
      'def verify(secret: str, headers: dict, body: bytes) -> bool:',
      decoded ? '    key = base64.b64decode(secret.removeprefix("whsec_"))' : '    key = secret.encode()',
      by(
        '    sent = headers["webhook-timestamp"]',
        `    sent = re.search(r"t=(\\d+)", headers["${header}"])[1]`,
        false,
      ),
      by(
        `    signed = f"{headers['webhook-id']}.{sent}.".encode() + body`,
        '    signed = f"{sent}.".encode() + body',
        '    signed = body',
      ),
      `    digest = hmac.new(key, signed, hashlib.${hash})`,
      encoding === 'base64'
        ? '    expected = base64.b64encode(digest.digest()).decode()'
        : '    expected = digest.hexdigest()',
      between
        ? `    given = [each.removeprefix("${mark}") for each in headers["${header}"].split("${between}")]`
        : `    given = [headers["${header}"]${mark && `.removeprefix("${mark}")`}]`,
      by(
        '    if abs(time.time() - int(sent)) > 300:\n        return False',
        '    if abs(time.time() - int(sent)) > 300:\n        return False',
        false,
      ),
      '    return any(hmac.compare_digest(expected, each) for each in given)',
    ),
  PHP: ({ hash, encoding, decoded, header, mark, between, by }) =>
    lines(
      'function verify(string $secret, array $headers, string $body): bool {',
      decoded ? `    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));` : '    $key = $secret;',
      by(
        `    $time = $headers['webhook-timestamp'];`,
        `    preg_match('/t=(\\d+)/', $headers['${header}'], $found);\n    $time = $found[1];`,
        false,
      ),
      by(
        `    $signed = $headers['webhook-id'] . '.' . $time . '.' . $body;`,
        `    $signed = $time . '.' . $body;`,
        '    $signed = $body;',
      ),
      encoding === 'base64'
        ? `    $expected = base64_encode(hash_hmac('${hash}', $signed, $key, true));`
        : `    $expected = hash_hmac('${hash}', $signed, $key);`,
      by(
        '    if (abs(time() - (int) $time) > 300) return false;',
        '    if (abs(time() - (int) $time) > 300) return false;',
        false,
      ),
      between
        ? `    foreach (explode('${between}', $headers['${header}']) as $each)\n        if (hash_equals('${mark}' . $expected, $each)) return true;\n    return false;`
        : `    return hash_equals('${mark}' . $expected, $headers['${header}']);`,
      '}',
    ),
  Ruby: ({ hash, encoding, decoded, header, mark, between, by }) =>
    lines(
      `require 'base64'`,
      `require 'openssl'`,
      '',
      'def verify(secret, headers, body)',
      decoded ? `  key = Base64.decode64(secret.delete_prefix('whsec_'))` : '  key = secret',
      by(`  time = headers['webhook-timestamp']`, `  time = headers['${header}'][/t=(\\d+)/, 1]`, false),
      by(
        `  signed = "#{headers['webhook-id']}.#{time}.".b + body.b`,
        '  signed = "#{time}.".b + body.b',
        '  signed = body',
      ),
      encoding === 'base64'
        ? `  expected = Base64.strict_encode64(OpenSSL::HMAC.digest('${hash}', key, signed))`
        : `  expected = OpenSSL::HMAC.hexdigest('${hash}', key, signed)`,
      by(
        '  return false if (Time.now.to_i - time.to_i).abs > 300',
        '  return false if (Time.now.to_i - time.to_i).abs > 300',
        false,
      ),
      between
        ? `  headers['${header}'].split('${between}').any? { |each| OpenSSL.secure_compare("${mark}#{expected}", each) }`
        : `  OpenSSL.secure_compare("${mark}#{expected}", headers['${header}'])`,
      'end',
    ),
  Go: ({ hash, encoding, decoded, header, mark, between, by }) =>
    lines(
      'func verify(secret string, headers http.Header, body []byte) bool {',
      decoded
        ? '\tkey, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))\n\tif err != nil {\n\t\treturn false\n\t}'
        : '\tkey := []byte(secret)',
      `\tmac := hmac.New(${hash === 'sha256' ? 'sha256' : 'sha512'}.New, key)`,
      by(
        '\tsent := headers.Get("webhook-timestamp")',
        `\tfound := regexp.MustCompile(\`t=(\\d+)\`).FindStringSubmatch(headers.Get("${header}"))\n\tif found == nil {\n\t\treturn false\n\t}\n\tsent := found[1]`,
        false,
      ),
      by(
        '\tmac.Write([]byte(headers.Get("webhook-id") + "." + sent + "."))',
        '\tmac.Write([]byte(sent + "."))',
        false,
      ),
      '\tmac.Write(body)',
      encoding === 'base64'
        ? '\texpected := base64.StdEncoding.EncodeToString(mac.Sum(nil))'
        : '\texpected := hex.EncodeToString(mac.Sum(nil))',
      by(
        '\tseconds, _ := strconv.ParseInt(sent, 10, 64)\n\tif math.Abs(float64(time.Now().Unix()-seconds)) > 300 {\n\t\treturn false\n\t}',
        '\tseconds, _ := strconv.ParseInt(sent, 10, 64)\n\tif math.Abs(float64(time.Now().Unix()-seconds)) > 300 {\n\t\treturn false\n\t}',
        false,
      ),
      between
        ? `\tfor _, each := range strings.Split(headers.Get("${header}"), "${between}") {\n\t\tif hmac.Equal([]byte("${mark}"+expected), []byte(each)) {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false`
        : `\treturn hmac.Equal([]byte("${mark}"+expected), []byte(headers.Get("${header}")))`,
      '}',
    ),
  Java: ({ hash, encoding, decoded, header, mark, between, by }) =>
    lines(
      'static boolean verify(String secret, Map<String, String> headers, byte[] body) throws GeneralSecurityException {',
      decoded
        ? '    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));'
        : '    byte[] key = secret.getBytes(StandardCharsets.UTF_8);',
      `    Mac mac = Mac.getInstance("${hash === 'sha256' ? 'HmacSHA256' : 'HmacSHA512'}");`,
      '    mac.init(new SecretKeySpec(key, mac.getAlgorithm()));',
      by(
        '    String time = headers.get("webhook-timestamp");',
        `    String time = headers.get("${header}").replaceFirst("^.*?t=(\\\\d+).*$", "$1");`,
        false,
      ),
      by(
        '    mac.update((headers.get("webhook-id") + "." + time + ".").getBytes(StandardCharsets.UTF_8));',
        '    mac.update((time + ".").getBytes(StandardCharsets.UTF_8));',
        false,
      ),
      encoding === 'base64'
        ? `    String expected = "${mark}" + Base64.getEncoder().encodeToString(mac.doFinal(body));`
        : `    String expected = "${mark}" + HexFormat.of().formatHex(mac.doFinal(body));`,
      by(
        '    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(time)) > 300) return false;',
        '    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(time)) > 300) return false;',
        false,
      ),
      between
        ? `    return Arrays.stream(headers.get("${header}").split("${between}"))\n        .anyMatch(each -> MessageDigest.isEqual(expected.getBytes(), each.getBytes()));`
        : `    return MessageDigest.isEqual(expected.getBytes(), headers.get("${header}").getBytes());`,
      '}',
    ),
  'C#': ({ hash, encoding, decoded, header, mark, between, by }) =>
    lines(
      'static bool Verify(string secret, IDictionary<string, string> headers, byte[] body)',
      '{',
      decoded
        ? '    var key = Convert.FromBase64String(Regex.Replace(secret, "^whsec_", ""));'
        : '    var key = Encoding.UTF8.GetBytes(secret);',
      by(
        '    var time = headers["webhook-timestamp"];',
        `    var time = Regex.Match(headers["${header}"], @"t=(\\d+)").Groups[1].Value;`,
        false,
      ),
      by(
        '    var before = Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{time}.");',
        '    var before = Encoding.UTF8.GetBytes($"{time}.");',
        false,
      ),
      `    var digest = ${hash === 'sha256' ? 'HMACSHA256' : 'HMACSHA512'}.HashData(key, ${by('before.Concat(body).ToArray()', 'before.Concat(body).ToArray()', 'body')});`,
      encoding === 'base64'
        ? `    var expected = "${mark}" + Convert.ToBase64String(digest);`
        : `    var expected = "${mark}" + Convert.ToHexString(digest).ToLowerInvariant();`,
      by(
        '    if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(time)) > 300) return false;',
        '    if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(time)) > 300) return false;',
        false,
      ),
      '    bool Same(string each) =>',
      '        CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(each));',
      between
        ? `    return headers["${header}"].Split('${between}').Any(Same);`
        : `    return Same(headers["${header}"]);`,
      '}',
    ),
}

export const sampleLanguages = Object.keys(languages)

/**
 * @param header - the signature header, for profiles with a configurable one
 * @returns undefined for profiles without an HMAC of their own
 */
export function sampleOf(profile: string, language: string, header?: string): string | undefined {
  const scheme = schemes[profile]
  const write = languages[language]
  if (!scheme || !write) return undefined
  const place = { 'id and time': 0, time: 1, nothing: 2 }[scheme.before]
  return write({
    ...scheme,
    header: profile === 'hmac-sha512' && header ? header.toLowerCase() : scheme.header,
    by: (...all) => all[place]!,
  })
}
