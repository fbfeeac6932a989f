/** Code samples that verify signatures: functions of the secret, the lower-case headers and the raw body. */

/** How each profile fills the samples; `letter` selects its lines. */
const profiles: {
  readonly [profile: string]: { letter: string; header: string; mark: string; split: string; hash: string }
} = {
  standard: { letter: 's', header: 'webhook-signature', mark: 'v1,', split: ' ', hash: 'sha256' },
  stripe: { letter: 't', header: 'stripe-signature', mark: 'v1=', split: ',', hash: 'sha256' },
  github: { letter: 'g', header: 'x-hub-signature-256', mark: 'sha256=', split: '', hash: 'sha256' },
  'hmac-sha512': { letter: 'h', header: 'x-signature', mark: '', split: '', hash: 'sha512' },
}

/** Lines after the letters of the profiles that need them; `~` stands for a backtick, and `@{` for `${`. */
const languages: { readonly [language: string]: string } = {
  'Node.js': String.raw`
    |import { createHmac, timingSafeEqual } from "node:crypto"
    |
    |export function verify(secret, headers, body) {
s   |  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
s   |  const time = headers['webhook-timestamp']
tgh |  const key = Buffer.from(secret)
t   |  const time = /t=(\d+)/.exec(headers['HEADER'])[1]
    |  const expected = createHmac('HASH', key)
s   |    .update(~@{headers['webhook-id']}.@{time}.~)
t   |    .update(~@{time}.~)
    |    .update(body)
s   |    .digest('base64')
tgh |    .digest('hex')
st  |  const given = headers['HEADER'].split('SPLIT').map((each) => each.replace('MARK', ''))
st  |  if (Math.abs(Date.now() / 1000 - time) > 300) return false
g   |  const given = [headers['HEADER'].replace('MARK', '')]
h   |  const given = [headers['HEADER']]
    |  return given.some((each) => each.length === expected.length && timingSafeEqual(Buffer.from(each), Buffer.from(expected)))
    |}`,
  Python: String.raw`
    |import base64, hashlib, hmac, re, time
    |
    |def verify(secret: str, headers: dict, body: bytes) -> bool:
s   |    key = base64.b64decode(secret.removeprefix("whsec_"))
s   |    sent = headers["webhook-timestamp"]
s   |    signed = f"{headers['webhook-id']}.{sent}.".encode() + body
tgh |    key = secret.encode()
t   |    sent = re.search(r"t=(\d+)", headers["HEADER"])[1]
t   |    signed = f"{sent}.".encode() + body
gh  |    signed = body
    |    digest = hmac.new(key, signed, hashlib.HASH)
s   |    expected = base64.b64encode(digest.digest()).decode()
tgh |    expected = digest.hexdigest()
st  |    given = [each.removeprefix("MARK") for each in headers["HEADER"].split("SPLIT")]
st  |    if abs(time.time() - int(sent)) > 300:
st  |        return False
g   |    given = [headers["HEADER"].removeprefix("MARK")]
h   |    given = [headers["HEADER"]]
    |    return any(hmac.compare_digest(expected, each) for each in given)`,
  PHP: String.raw`
    |function verify(string $secret, array $headers, string $body): bool {
s   |    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
s   |    $time = $headers['webhook-timestamp'];
s   |    $signed = $headers['webhook-id'] . '.' . $time . '.' . $body;
s   |    $expected = base64_encode(hash_hmac('HASH', $signed, $key, true));
tgh |    $key = $secret;
t   |    preg_match('/t=(\d+)/', $headers['HEADER'], $found);
t   |    $time = $found[1];
t   |    $signed = $time . '.' . $body;
gh  |    $signed = $body;
tgh |    $expected = hash_hmac('HASH', $signed, $key);
st  |    if (abs(time() - (int) $time) > 300) return false;
st  |    foreach (explode('SPLIT', $headers['HEADER']) as $each)
st  |        if (hash_equals('MARK' . $expected, $each)) return true;
st  |    return false;
gh  |    return hash_equals('MARK' . $expected, $headers['HEADER']);
    |}`,
  Ruby: String.raw`
    |require 'base64'
    |require 'openssl'
    |
    |def verify(secret, headers, body)
s   |  key = Base64.decode64(secret.delete_prefix('whsec_'))
s   |  time = headers['webhook-timestamp']
s   |  signed = "#{headers['webhook-id']}.#{time}.".b + body.b
s   |  expected = Base64.strict_encode64(OpenSSL::HMAC.digest('HASH', key, signed))
tgh |  key = secret
t   |  time = headers['HEADER'][/t=(\d+)/, 1]
t   |  signed = "#{time}.".b + body.b
gh  |  signed = body
tgh |  expected = OpenSSL::HMAC.hexdigest('HASH', key, signed)
st  |  return false if (Time.now.to_i - time.to_i).abs > 300
st  |  headers['HEADER'].split('SPLIT').any? { |each| OpenSSL.secure_compare("MARK#{expected}", each) }
gh  |  OpenSSL.secure_compare("MARK#{expected}", headers['HEADER'])
    |end`,
  Go: String.raw`
    |func verify(secret string, headers http.Header, body []byte) bool {
s   |	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
s   |	if err != nil {
tgh |	key := []byte(secret)
tgh |	mac := hmac.New(HASH.New, key)
t   |	found := regexp.MustCompile(~t=(\d+)~).FindStringSubmatch(headers.Get("HEADER"))
t   |	if found == nil {
st  |		return false
st  |	}
s   |	mac := hmac.New(HASH.New, key)
s   |	sent := headers.Get("webhook-timestamp")
s   |	mac.Write([]byte(headers.Get("webhook-id") + "." + sent + "."))
t   |	sent := found[1]
t   |	mac.Write([]byte(sent + "."))
    |	mac.Write(body)
s   |	expected := base64.StdEncoding.EncodeToString(mac.Sum(nil))
tgh |	expected := hex.EncodeToString(mac.Sum(nil))
st  |	seconds, _ := strconv.ParseInt(sent, 10, 64)
st  |	if math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
st  |		return false
st  |	}
st  |	for _, each := range strings.Split(headers.Get("HEADER"), "SPLIT") {
st  |		if hmac.Equal([]byte("MARK"+expected), []byte(each)) {
st  |			return true
st  |		}
st  |	}
st  |	return false
gh  |	return hmac.Equal([]byte("MARK"+expected), []byte(headers.Get("HEADER")))
    |}`,
  Java: String.raw`
    |static boolean verify(String secret, Map<String, String> headers, byte[] body) throws GeneralSecurityException {
s   |    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
tgh |    byte[] key = secret.getBytes(StandardCharsets.UTF_8);
    |    Mac mac = Mac.getInstance("HmacHASHUP");
    |    mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
s   |    String time = headers.get("webhook-timestamp");
s   |    mac.update((headers.get("webhook-id") + "." + time + ".").getBytes(StandardCharsets.UTF_8));
s   |    String expected = "MARK" + Base64.getEncoder().encodeToString(mac.doFinal(body));
t   |    String time = headers.get("HEADER").replaceFirst("^.*?t=(\\d+).*$", "$1");
t   |    mac.update((time + ".").getBytes(StandardCharsets.UTF_8));
tgh |    String expected = "MARK" + HexFormat.of().formatHex(mac.doFinal(body));
st  |    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(time)) > 300) return false;
st  |    return Arrays.stream(headers.get("HEADER").split("SPLIT"))
st  |        .anyMatch(each -> MessageDigest.isEqual(expected.getBytes(), each.getBytes()));
gh  |    return MessageDigest.isEqual(expected.getBytes(), headers.get("HEADER").getBytes());
    |}`,
  'C#': String.raw`
    |static bool Verify(string secret, IDictionary<string, string> headers, byte[] body)
    |{
s   |    var key = Convert.FromBase64String(Regex.Replace(secret, "^whsec_", ""));
s   |    var time = headers["webhook-timestamp"];
s   |    var before = Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{time}.");
tgh |    var key = Encoding.UTF8.GetBytes(secret);
t   |    var time = Regex.Match(headers["HEADER"], @"t=(\d+)").Groups[1].Value;
t   |    var before = Encoding.UTF8.GetBytes($"{time}.");
st  |    var digest = HMACHASHUP.HashData(key, before.Concat(body).ToArray());
s   |    var expected = "MARK" + Convert.ToBase64String(digest);
gh  |    var digest = HMACHASHUP.HashData(key, body);
tgh |    var expected = "MARK" + Convert.ToHexString(digest).ToLowerInvariant();
st  |    if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(time)) > 300) return false;
    |    bool Same(string each) =>
    |        CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(each));
st  |    return headers["HEADER"].Split('SPLIT').Any(Same);
gh  |    return Same(headers["HEADER"]);
    |}`,
}

export const sampleLanguages = Object.keys(languages)

/**
 * @param header - the signature header, for profiles with a configurable one
 * @returns undefined for profiles without an HMAC of their own
 */
export function sampleOf(profile: string, language: string, header?: string): string | undefined {
  const of = profiles[profile]
  const lines = languages[language]
  if (!of || lines === undefined) return undefined
  const values: { readonly [name: string]: string } = {
    HEADER: profile === 'hmac-sha512' && header ? header.toLowerCase() : of.header,
    MARK: of.mark,
    SPLIT: of.split,
    HASHUP: of.hash.toUpperCase(),
    HASH: of.hash,
    '~': '`',
    '@{': '${',
  }
  return lines
    .slice(1)
    .split('\n')
    .map((line) => [line.slice(0, 4).trim(), line.slice(5)] as const)
    .filter(([letters]) => letters === '' || letters.includes(of.letter))
    .map(([, text]) => text.replace(/HEADER|MARK|SPLIT|HASHUP|HASH|~|@\{/g, (name) => values[name]!))
    .join('\n')
}

/**
 * Parses pasted headers: `name: value` lines, curl options or JSON, with or without the request line.
 * @returns also the lines that could not be parsed
 */
export function readHeaders(text: string): {
  readonly headers: { readonly [name: string]: string }
  readonly unread: readonly string[]
} {
  const json = asJson(text)
  if (json) return { headers: json, unread: [] }
  const headers: Record<string, string> = {}
  const unread: string[] = []
  for (const raw of text.split(/\r?\n/)) {
    const line = raw
      .trim()
      .replace(/\s*\\$/, '')
      .replace(/^(?:-H|--header)\s+(['"])(.*)\1$/, '$2')
    if (line === '' || /^[A-Z]+ \S+( HTTP\/[\d.]+)?$/.test(line)) continue
    const [, name, value] = /^([!#$%&'*+\-.^_`|~\w]+)\s*:\s*(.*)$/.exec(line) ?? []
    if (name === undefined) unread.push(line)
    else headers[name.toLowerCase()] = value!
  }
  return { headers, unread }
}

function asJson(text: string): { readonly [name: string]: string } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toLowerCase(), String(each)]))
  } catch {
    return undefined
  }
}
