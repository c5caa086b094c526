"""Secrets and harmless lines of the files and outputs that agents read, written without a look at the rules.

Values are generated at random with a fixed seed: no file of this repository holds a text that looks like a secret.
"""

from __future__ import annotations

import random
import re
import string
from base64 import b64encode
from collections.abc import Iterator
from typing import NamedTuple

_ALNUM = string.ascii_letters + string.digits
_ALPHABETS = {
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "an": _ALNUM,
    "url": _ALNUM + "_-",
    "up": string.ascii_uppercase + string.digits,
    "low": string.ascii_lowercase + string.digits,
    "num": string.digits,
    "pw": _ALNUM + "!@#%^*-_+",
}
_VALUE = re.compile(rf"\{{(?:uuid|(b64|{'|'.join(_ALPHABETS)}):(\d+))\}}")


def fill(template: str, source: random.Random) -> str:
    """The template with a random value for each {alphabet:length}."""

    def value(match: re.Match[str]) -> str:
        if match[1] is None:
            return "-".join(fill(f"{{hex:{part}}}", source) for part in (8, 4, 4, 4, 12))
        kind, length = match[1], int(match[2])
        if kind == "b64":
            return b64encode(source.randbytes(length)).decode()
        text = "".join(source.choice(_ALPHABETS[kind]) for _ in range(length))
        # a password has letters and digits in both ends, as people are made to choose them
        return f"a7{text[2:-2]}Q4" if kind == "pw" else text

    return _VALUE.sub(value, template)


class FieldSample(NamedTuple):
    text: str
    secret: str


# the text around the secret («»), and the secret
SECRETS: tuple[tuple[str, str], ...] = (
    # environment files
    ("# local settings\nDATABASE_URL=postgres://app:«»@db.internal:5432/app\nDEBUG=1\n", "{an:18}"),
    ("NODE_ENV=production\nSESSION_SECRET=«»\nPORT=3000\n", "{hex:48}"),
    ("export OPENAI_API_KEY='«»'\nexport EDITOR=vim\n", "sk-proj-{url:74}"),
    ("ANTHROPIC_API_KEY=«»\n", "sk-ant-api03-{url:92}AA"),
    ('AWS_SECRET_ACCESS_KEY="«»"\nAWS_REGION=eu-central-1\n', "{b64:30}"),
    ("AWS_ACCESS_KEY_ID=«»\n", "AKIA{up:16}"),
    ("SMTP_PASSWORD=«» # from the vault\n", "{pw:14}"),
    ("DJANGO_SECRET_KEY=«»\nALLOWED_HOSTS=*\n", "django-insecure-{an:50}"),
    ("STRIPE_SECRET_KEY=«»\nSTRIPE_API_VERSION=2024-06-20\n", "sk_live_{an:24}"),
    ("REDIS_URL=redis://:«»@cache.internal:6379/0\n", "{an:24}"),
    ("GITLAB_TOKEN=«»\n", "glpat-{url:20}"),
    ("JWT_SECRET=«»\n", "{b64:32}"),
    ("CLOUDFLARE_API_TOKEN=«»\n", "{url:40}"),
    ("DATADOG_API_KEY=«»\nDD_SITE=datadoghq.eu\n", "{hex:32}"),
    ("SENTRY_AUTH_TOKEN=«»\n", "sntrys_{an:60}"),
    ("ENCRYPTION_KEY=«»\n", "{b64:32}"),
    ("TELEGRAM_BOT_TOKEN=«»\n", "{num:10}:AA{url:33}"),
    ("MYSQL_ROOT_PASSWORD: «»\n", "{pw:16}"),
    # shell history
    ("  412  git push\n  413  export GITHUB_TOKEN=«»\n  414  gh pr list\n", "ghp_{an:36}"),
    ("mysql -u root -p«» shop < dump.sql\n", "{an:12}"),
    ("curl -u deploy:«» https://ci.example.org/job/build\n", "{an:20}"),
    ("curl -H 'Authorization: Bearer «»' https://api.example.org/v1/me\n", "{url:40}"),
    ("curl -H 'X-Api-Key: «»' https://api.example.org/v1/me\n", "{hex:40}"),
    ("docker login -u ci -p «» registry.example.org\n", "{an:24}"),
    ("PGPASSWORD=«» psql -h db -U app\n", "{an:14}"),
    ("sshpass -p «» ssh root@10.0.0.4\n", "{an:12}"),
    ("set -x OPENAI_API_KEY «»\n", "sk-{an:48}"),
    ("set -gx DEPLOY_TOKEN «»\n", "{an:32}"),
    ("set -Ux DB_PASSWORD '«»'\n", "{pw:15}"),
    ("setenv API_TOKEN «»\n", "{an:32}"),
    ('$env:API_KEY = "«»"\n', "{an:36}"),
    ("set DB_PASSWORD=«»\r\n", "{an:14}"),
    ("gh auth login --with-token <<< «»\n", "gho_{an:36}"),
    ("vault login «»\n", "hvs.{an:24}"),
    ("li agent --api-key «» 'write a test'\n", "{an:40}"),
    ("kubectl create secret generic db --from-literal=password=«»\n", "{an:20}"),
    ("redis-cli -a «» ping\n", "{an:20}"),
    ("npm config set //registry.example.org/:_authToken «»\n", "npm_{an:36}"),
    ("echo '//registry.example.org/:_authToken=«»' >> ~/.npmrc\n", "{uuid}"),
    ("openssl enc -aes-256-cbc -k «» -in a -out b\n", "{an:24}"),
    ("wget --password=«» ftp://files.example.org/a.zip\n", "{an:16}"),
    # YAML, TOML, INI, netrc
    ("db:\n  user: app\n  password: «»\n  host: db\n", "{pw:16}"),
    ('production:\n  secret_key_base: "«»"\n', "{hex:128}"),
    ("apiVersion: v1\nkind: Secret\ndata:\n  password: «»\n", "{b64:18}"),
    ("env:\n  - name: API_TOKEN\n    value: «»\n  - name: MODE\n    value: fast\n", "{an:32}"),
    ("auth:\n  token: >-\n    «»\n", "{an:40}"),
    ('[registry]\ntoken = "«»"\n', "{an:35}"),
    ("[default]\naws_access_key_id = AKIAEXAMPLEEXAMPLE00\naws_secret_access_key = «»\n", "{b64:30}"),
    ("machine api.heroku.com\n  login me@example.org\n  password «»\n", "{uuid}"),
    ("machine github.com login me password «»\n", "{an:40}"),
    ("[pypi]\nusername = __token__\npassword = «»\n", "pypi-AgEIcHlwaS5vcmc{url:100}"),
    ("client_secret: «» # rotate in May\n", "{url:40}"),
    # JSON
    ('{"user": "app", "password": "«»", "port": 5432}', "{pw:16}"),
    ('{\n  "password":\n    "«»"\n}', "{pw:16}"),
    ('{"access_token":"«»","token_type":"Bearer","expires_in":3600}', "{url:60}"),
    ('{"refresh_token": "«»"}', "1//0{url:60}"),
    (
        '{"type": "service_account", "private_key_id": "{hex:40}", '
        '"private_key": "-----BEGIN PRIVATE KEY-----\\n«»\\n-----END PRIVATE KEY-----\\n"}',
        "{b64:48}",
    ),
    ('{"auths": {"registry.example.org": {"auth": "«»"}}}', "{b64:30}"),
    ('{"apiKey": "«»", "model": "small"}', "{an:32}"),
    ('"{\\"clientSecret\\":\\"«»\\",\\"id\\":7}"', "{an:40}"),
    ('[{"name": "STRIPE_KEY", "value": "«»"}]', "rk_live_{an:24}"),
    ('{"SecretAccessKey": "«»", "Expiration": "2026-01-01T00:00:00Z"}', "{b64:30}"),
    ('{"headers": {"Authorization": "Basic «»"}}', "{b64:24}"),
    # Python, JavaScript, Terraform, properties
    ('client = Client(api_key="«»", timeout=3)\n', "{an:40}"),
    ("const token = '«»';\n", "{an:40}"),
    ('    password="«»",\n', "{pw:18}"),
    ('os.environ["API_SECRET"] = "«»"\n', "{an:32}"),
    ('variable "db_password" {\n  default = "«»"\n}\n', "{pw:18}"),
    ("spring.datasource.password=«»\n", "{an:16}"),
    ('  connectionString = "Server=db;Database=a;User Id=app;Password=«»;Encrypt=true"\n', "{an:18}"),
    ('AccountName=acme;AccountKey=«»;EndpointSuffix=core.windows.net', "{b64:64}"),
    # tracebacks and logs
    (
        'Traceback (most recent call last):\n  File "app.py", line 7, in <module>\n    connect(password="«»")\n'
        "OperationalError: no route to host\n",
        "{pw:18}",
    ),
    ("sqlalchemy.exc.OperationalError: could not connect to postgresql://app:«»@db:5432/app\n", "{an:18}"),
    ("requests.exceptions.HTTPError: 401 for url: https://api.example.org/v1/items?api_key=«»&page=2\n", "{hex:32}"),
    ("KeyError: {'token': '«»', 'user': 7}\n", "{an:40}"),
    ("2026-01-04T10:02:11Z DEBUG auth header: Bearer «»\n", "{url:44}"),
    ("2026-01-04 10:02:11,120 INFO http: GET /callback?code=abc&access_token=«» 302\n", "{url:44}"),
    ("level=debug msg=login user=ann password=«» ok=true\n", "{an:14}"),
    ("> Authorization: token «»\n> Accept: */*\n", "{hex:40}"),
    ("< Set-Cookie: sessionid=«»; HttpOnly; Path=/\n", "{an:32}"),
    ("Cookie: theme=dark; connect.sid=s%3A«»; lang=en\n", "{an:32}"),
    ("X-Vault-Token: «»\n", "s.{an:24}"),
    ("Proxy-Authorization: Basic «»\n", "{b64:18}"),
    ("PRIVATE-TOKEN: «»\n", "{url:20}"),
    # URLs
    ("git clone https://ann:«»@git.example.org/acme/app.git\n", "{an:24}"),
    ("remote: https://x-access-token:«»@github.com/acme/app\n", "ghs_{an:36}"),
    ("https://hooks.slack.com/services/T{up:8}/B{up:10}/«»\n", "{an:24}"),
    ("https://discord.com/api/webhooks/{num:18}/«»\n", "{url:68}"),
    ("amqp://guest:«»@mq:5672/%2f\n", "{an:16}"),
    ("https://acme.blob.core.windows.net/a/b.txt?sv=2022-11-02&sp=r&sig=«»\n", "{an:43}%3D"),
    ("https://s3.amazonaws.com/b/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=«»\n", "{hex:64}"),
    ("mongodb+srv://app:«»@cluster0.abcde.mongodb.net/app?retryWrites=true\n", "{an:20}"),
    # CI logs and coloured terminals
    ("##[debug]Evaluating secrets.DEPLOY_KEY\n+ DEPLOY_KEY=«»\n", "{an:40}"),
    ("\x1b[36;1mexport NPM_TOKEN=«»\x1b[0m\n", "npm_{an:36}"),
    ("\x1b[32mAPI_TOKEN\x1b[0m=\x1b[33m«»\x1b[0m\n", "{an:40}"),
    ('\x1b[34m"password"\x1b[0m: \x1b[32m"«»"\x1b[0m\n', "{pw:16}"),
    ("\x1b[1mpassword:\x1b[0m \x1b[31m«»\x1b[0m\n", "{pw:16}"),
    ("\x1b[38;5;81mtoken\x1b[39m\x1b[38;5;197m=\x1b[39m\x1b[38;5;186m'«»'\x1b[39m\n", "{an:36}"),
    ("\x1b[2m10:02:11\x1b[0m \x1b[33mghp_\x1b[0m or \x1b[33m«»\x1b[0m\n", "ghp_{an:36}"),
    ("job 7 | + curl -sSf -H Authorization:Bearer\\ «» https://api.example.org\n", "{url:40}"),
    ("The key is:\n-----BEGIN OPENSSH PRIVATE KEY-----\n«»\n-----END OPENSSH PRIVATE KEY-----\nkeep it\n", "{b64:66}"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{HEX:32}\n\n«»\n"
        "-----END RSA PRIVATE KEY-----\n",
        "{b64:90}",
    ),
    ("-----BEGIN PRIVATE KEY-----\n«»\n", "{b64:48}"),
    # words of a person
    ("Use the password «» for the staging box.\n", "{pw:14}"),
    ("my token is «», please do not commit it\n", "{an:40}"),
    ("Here is the key: «»\n", "sk-{an:48}"),
    ("| user | password |\n|---|---|\n| ann | `«»` |\n", "{pw:16}"),
    ("api key -> «»\n", "{an:32}"),
    # written later, to measure again
    ('SPRING_DATASOURCE_PASSWORD=«»\n', '{pw:15}'),
    ('      POSTGRES_PASSWORD: «»\n', '{an:18}'),
    ('  --set auth.password=«» \\\n', '{an:16}'),
    ('helm upgrade app . --set-string secret.apiKey=«»\n', '{an:32}'),
    ("terraform apply -var 'db_password=«»'\n", '{pw:15}'),
    ('aws configure set aws_secret_access_key «»\n', '{b64:30}'),
    ('heroku config:set SECRET_KEY_BASE=«» -a app\n', '{hex:64}'),
    ('fly secrets set DATABASE_PASSWORD=«»\n', '{an:20}'),
    ('http -a ann:«» GET example.org\n', '{an:16}'),
    ("curl 'https://api.example.org/v1?token=«»'\n", '{an:32}'),
    ('curl -H "apikey: «»" https://x.supabase.co\n', 'eyJ{an:33}.eyJ{an:60}.{url:43}'),
    ('curl --user ann:«» https://x\n', '{pw:13}'),
    ('"Password": "«»",\n', '{pw:12}'),
    ("'SECRET_KEY': '«»',\n", '{an:50}'),
    ("password => '«»',\n", '{pw:13}'),
    ('    .setPassword("«»")\n', '{pw:14}'),
    ('cfg.Token = "«»"\n', '{an:40}'),
    ('std::string api_key = "«»";\n', '{an:32}'),
    ('let token: &str = "«»";\n', '{an:40}'),
    ('private static final String API_SECRET = "«»";\n', '{an:36}'),
    ("define('DB_PASSWORD', '«»');\n", '{pw:14}'),
    ("ENV['API_TOKEN'] = '«»'\n", '{an:32}'),
    ('Authorization: AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20260101, Signature=«»\n', '{hex:64}'),
    ('x-goog-api-key: «»\n', 'AIza{url:35}'),
    ('X-Auth-Token: «»\n', '{an:32}'),
    ('Set-Cookie: JSESSIONID=«»; Path=/\n', '{HEX:32}'),
    ('ftp://ann:«»@files.example.org/a\n', '{an:12}'),
    ('rtsp://admin:«»@10.0.0.9:554/1\n', '{an:10}'),
    ('//ann:«»@server/share /mnt cifs\n', '{an:12}'),
    ('username=ann,password=«»,vers=3.0 0 0\n', '{an:14}'),
    ('ldap bind: cn=admin,dc=x password=«»\n', '{pw:13}'),
    ("2026-01-01 DEBUG [auth] apiKey='«»' user=7\n", '{an:32}'),
    ("{'Authorization': 'token «»'}\n", '{hex:40}'),
    ('-----BEGIN EC PRIVATE KEY-----\n«»\n-----END EC PRIVATE KEY-----\n', '{b64:90}'),
    ('wireguard: PrivateKey = «»\n', '{b64:32}'),
    ('[Peer]\nPresharedKey = «»\n', '{b64:32}'),
    ('smtp_password: "«»"\n', '{pw:14}'),
    ('requirepass «»\n', '{an:20}'),
    ('root:«»@tcp(127.0.0.1:3306)/app\n', '{an:14}'),
    ('::add-mask::«»\n', '{an:40}'),
)  # fmt: skip


def list_secrets(seed: int = 5) -> Iterator[FieldSample]:
    source = random.Random(seed)
    for template, shape in SECRETS:
        secret = fill(shape, source)
        yield FieldSample(fill(template, source).replace("«»", secret), secret)


_HARMLESS = r"""
commit {hex:40}
commit {hex:40} (HEAD -> main, origin/main)
Merge: {hex:7} {hex:7}
index {hex:7}..{hex:7} 100644
index {hex:40}..{hex:40} 100644
diff --git a/src/token.py b/src/token.py
--- a/src/auth/password.py
+++ b/src/auth/password.py
@@ -12,7 +12,9 @@ def check_password(password: str) -> bool:
-    token = self.tokens[position]
+    token = self.next_token()
[main {hex:7}] auth: rotate keys when the secret changes
{hex:40}	refs/heads/feature/api-keys
{hex:40}	refs/tags/v1.2.3^{}
From {hex:40} Mon Sep 17 00:00:00 2001
Your branch is up to date with 'origin/token-refresh'.
git rebase --onto {hex:40} {hex:40} topic
tree {hex:40}
parent {hex:40}
100644 blob {hex:40}	README.md
Fixes: {hex:12} ("net: do not leak the session key")
Change-Id: I{hex:40}
Signed-off-by: Ann Example <ann@example.org>
{hex:64}  dist/app-1.2.3.tar.gz
sha256:{hex:64}
Digest: sha256:{hex:64}
Status: Downloaded newer image for python@sha256:{hex:64}
FROM node:20@sha256:{hex:64}
 ---> {hex:12}
Successfully built {hex:12}
{hex:12}   postgres:16   "docker-entrypoint.s…"   2 hours ago   Up 2 hours   0.0.0.0:5432->5432/tcp
MD5 (a.iso) = {hex:32}
SHA1 fingerprint: {HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}:{HEX:2}
256 SHA256:{an:43} ann@laptop (ED25519)
The key fingerprint is: SHA256:{an:43} ann@laptop
etag: "{hex:32}"
ETag: W/"{hex:8}-{an:27}"
checksum = "{hex:64}"
    --hash=sha256:{hex:64} \
    {file = "idna-3.7-py3-none-any.whl", hash = "sha256:{hex:64}"},
content-hash = "{hex:64}"
hash: {hex:32}
      "integrity": "sha512-{b64:64}",
      "resolved": "https://registry.example.org/js-tokens/-/js-tokens-4.0.0.tgz",
  resolved "https://registry.example.org/keyv/-/keyv-4.5.4.tgz#{hex:40}"
  integrity sha512-{b64:64}
golang.org/x/crypto v0.21.0 h1:{b64:32}
golang.org/x/crypto v0.21.0/go.mod h1:{b64:32}
name = "secrecy"
source = "registry+https://git.example.org/index"
wheels = [{ url = "https://files.example.org/packages/{hex:2}/{hex:2}/{hex:60}/attrs-23.2.0-py3-none-any.whl", hash = "sha256:{hex:64}", size = 60752 }]
    tokenizers (0.19.1)
resolution: "keyv@npm:4.5.4", checksum: 10c0/{hex:128}
id: {uuid}
session_id={uuid}
run {uuid} finished in 3.2s
{"id": "{uuid}", "parent_id": "{uuid}", "kind": "message"}
idempotency_key: {uuid}
Idempotency-Key: {uuid}
"dedupe_key": "{uuid}"
primary_key={uuid}
foreign_key: {uuid}
partition_key = "{uuid}"
sort_key: 2026-01-01#{uuid}
cache_key={hex:64}
cacheKey: "node-modules-linux-{hex:64}"
Cache restored from key: node-linux-{hex:64}
Cache hit for restore-key: pip-{hex:64}
row_key={uuid}
"object_key": "uploads/{uuid}/photo.png"
"routingKey": "orders.created.v1"
X-Request-Id: {uuid}
x-amzn-trace-id: Root=1-{hex:8}-{hex:24}
traceparent: 00-{hex:32}-{hex:16}-01
trace_id={hex:32} span_id={hex:16}
correlation_id: {uuid}
GET /api/sessions/{uuid}/messages?after=12 200 3ms
https://example.org/share/{uuid}?tab=keys
volume/{uuid} mounted at /data
Device UUID: {uuid}
UUID="{uuid}" TYPE="ext4" PARTUUID="{uuid}"
boot_id {uuid}
--- PASS: TestTokenRefresh (0.00s)
--- PASS: TestPasswordHashIsStable (0.12s)
    --- PASS: TestSecretStore/rotate_key_twice (0.00s)
--- FAIL: TestPassword (0.00s)
=== RUN   TestAPIKeyValidation/empty_key
ok  	example.org/auth/token	0.412s
FAIL	example.org/auth/secret [build failed]
PASS
tests/auth/test_tokens.py::test_refresh_token_expires PASSED                [ 42%]
tests/auth/test_tokens.py::test_password_reset[expired-token] SKIPPED       [ 43%]
FAILED tests/auth/test_keys.py::test_api_key_rotation - AssertionError: assert 'a' == 'b'
E       AssertionError: assert token == 'expected-token-value'
E       KeyError: 'password'
    def test_password_is_hashed(self):
  ✓ returns a token when the password is right (12 ms)
  ✕ rejects an expired token (3 ms)
 PASS  src/auth/token.test.ts
Tests:       2 failed, 41 passed, 43 total
test auth::tests::token_round_trip ... ok
thread 'main' panicked at src/token.rs:42:9: unexpected token: Semicolon
1..12
ok 3 - password is required
not ok 4 - token expires
# tests 12
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
Parse error on line 3: unexpected token at 'key:'
error: expected one of `,`, `:`, or `}`, found token `;`
TS1005: ';' expected. Found token: Identifier
max_tokens=4096 temperature=0.7
usage: input_tokens=1523 output_tokens=88 cache_read_tokens=120000
"completion_tokens": 512, "prompt_tokens": 2048, "total_tokens": 2560
tokens: 12,438
Token count: 1,024
token_type: bearer
token_endpoint: https://login.example.org/oauth2/token
token_url = "https://login.example.org/oauth2/token"
pad_token_id=50256 eos_token="<|endoftext|>"
special_tokens_map.json: {"unk_token": "<unk>", "sep_token": "[SEP]"}
password: ********
password: <redacted>
password = ""
password: ${DB_PASSWORD}
PASSWORD=$(cat /run/secrets/db)
password = os.environ["DB_PASSWORD"]
password=getpass.getpass("Password: ")
password: {{ .Values.db.password }}
password: {{ secrets.DB_PASSWORD }}
api_key=settings.api_key,
api_key: process.env.API_KEY
token: ${{ secrets.GITHUB_TOKEN }}
const token = await getToken(user.id);
const password = form.get("password");
let apiKey = config.get('apiKey') ?? '';
token = request.headers.get("Authorization", "").removeprefix("Bearer ")
if (token === undefined) throw new Error('missing token');
secret: Optional[str] = None
private readonly secretKey: string;
public string Password { get; set; }
String password = request.getParameter("password");
passwordField.setText("");
<input type="password" name="password" autocomplete="current-password">
<label for="password">Password</label>
<meta name="csrf-token" content="">
password_hash VARCHAR(255) NOT NULL
CREATE TABLE api_keys (id INTEGER PRIMARY KEY, key_hash TEXT NOT NULL);
SELECT token, expires_at FROM sessions WHERE user_id = $1;
ALTER USER app WITH PASSWORD :'password';
PRIMARY KEY (id), FOREIGN KEY (user_id) REFERENCES users(id)
KEY idx_created_at (created_at)
Password must be at least 12 characters long.
Enter password for user ann:
[sudo] password for ann:
ann@host's password:
Permission denied (publickey,password).
Host key verification failed.
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
curl -H "Authorization: Bearer $API_TOKEN" https://api.example.org
curl -u "$USER:$PASSWORD" https://api.example.org
WWW-Authenticate: Bearer realm="api", error="invalid_token"
Access-Control-Allow-Headers: Authorization, X-Api-Key
postgres://localhost:5432/app
postgres://user:password@localhost:5432/db
postgresql://${DB_USER}:${DB_PASS}@${DB_HOST}/app
https://user:pass@example.com/
redis://localhost:6379/0
git@github.com:acme/app.git
ssh://git@git.example.org:2222/acme/app.git
mailto:ann@example.org
http://127.0.0.1:8000/api/keys?limit=20&cursor=eyJvIjoyMH0
https://example.org/docs/authentication#api-keys
The header is -----BEGIN PRIVATE KEY----- and the words behind it stay readable.
A PEM file begins with "-----BEGIN RSA PRIVATE KEY-----", followed by base64 lines.
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
if "-----BEGIN PRIVATE KEY-----" in text: raise ValueError("a private key")
grep -rn "BEGIN OPENSSH PRIVATE KEY" ~/.ssh
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{an:43} ann@laptop
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC{b64:60} ann@laptop
github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{an:43}
src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{b64:120}"
background:url(data:font/woff2;base64,d09GMgABAAAAA{b64:120})
![logo](data:image/svg+xml;base64,PHN2ZyB4bWxucz0i{b64:90})
//# sourceMappingURL=data:application/json;charset=utf-8;base64,eyJ2ZXJzaW9uIjoz{b64:90}
//# sourceMappingURL=index-{an:8}.js.map
<script src="/assets/index-{an:8}.js" integrity="sha384-{b64:48}" crossorigin="anonymous"></script>
<link rel="stylesheet" href="/assets/index-{an:8}.css">
dist/assets/index-{an:8}.js  412.33 kB │ gzip: 128.11 kB
!function(e,t){"object"==typeof exports?module.exports=t():e.Token=t()}(this,function(){return{key:1}});
var n=t.key,r=t.token,o=e.password;if(n!==r){return o?a(n,r):null}
e.exports={tokenize:function(e){for(var t=[],n=0;n<e.length;)t.push(e[n++]);return t}};
"mappings":"AAAA,SAASA,EAAUC,GACf,OAAOC,KAAKC,MAAMF,EACtB,CAEA,IAAMG,EAAQ,CAACC,EAAKC"
,c=Object.keys(s),l=c.length;for(;l--;)u[c[l]]=s[c[l]];return u},key:"render",value:function(){
a{color:#1a2b3c;background:#fefefe}.key{font:700 12px/1.5 sans-serif}
PYTHONPATH=/home/ann/app/src:/home/ann/app/tests
PATH=/home/ann/.local/bin:/usr/local/bin:/usr/bin:/bin
LS_COLORS=rs=0:di=01;34:ln=01;36:mh=00:pi=40;33:so=01;35
SSH_AUTH_SOCK=/run/user/1000/keyring/ssh
SSH_AGENT_PID=2231
GPG_KEY={HEX:40}
KEYCLOAK_URL=https://id.example.org
TOKENIZERS_PARALLELISM=false
HOME=/home/ann
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus
XDG_SESSION_ID=3
PASSWORD_MIN_LENGTH=12
TOKEN_TTL_SECONDS=3600
AUTH_TOKEN_EXPIRES_AT=2026-01-01T00:00:00Z
API_KEY_FILE=/run/secrets/api_key
SECRET_NAME=prod/app/db
AWS_DEFAULT_REGION=eu-central-1
AWS_PROFILE=acme-production
export SECRET_KEY_PATH=~/.config/app/key
drwx------  2 ann ann 4096 Jan  4 10:02 .ssh
-rw-------  1 ann ann  411 Jan  4 10:02 id_ed25519
tmpfs  /run/secrets/kubernetes.io/serviceaccount
secret/db-credentials created
NAME            TYPE     DATA   AGE
default-token   kubernetes.io/service-account-token   3   12d
pod/api-7d9f8b6c5d-x2x7k   1/1   Running   0   3h
arn:aws:secretsmanager:eu-central-1:{num:12}:secret:prod/db-AbCdEf
projects/acme/secrets/db-password/versions/latest
vault:secret/data/app#password
secretKeyRef: {name: db, key: password}
keyboard: us, keymap: de-latin1
author: Ann Example
The monkey turned the key and the turkey ran.
Keyword arguments: key=None, reverse=False
sorted(items, key=lambda item: item.token)
for key, value in data.items():
dict(key="value", token="abc")
data-key="row-12" aria-label="Copy token"
{"key": "ArrowDown", "code": "ArrowDown", "keyCode": 40}
key: "Enter"
<Key>photos/2026/01/holiday.jpg</Key>
"key": "settings.notifications.email"
primaryKey: true
monkeypatch.setenv("API_TOKEN", "x")
mypy: src/auth/token.py:12: error: Name "password" is not defined  [name-defined]
src/auth/password.py:88:5: F841 local variable `token` is assigned to but never used
npm warn deprecated crypto@1.0.1: This package is no longer supported.
added 412 packages, and audited 413 packages in 9s
Resolved 88 packages in 12ms
Collecting keyring==25.2.1 (from -r requirements.txt (line 7))
Downloading cryptography-42.0.8-cp39-abi3-manylinux_2_28_x86_64.whl (3.9 MB)
Requirement already satisfied: passlib[bcrypt]==1.7.4
2026-01-04 10:02:11,120 INFO auth: token refreshed for user 42
2026-01-04T10:02:11Z WARN password of user ann expires in 3 days
I0104 10:02:11.120394       1 controller.go:142] "syncing secret" name="db"
Jan  4 10:02:11 host sshd[812]: Accepted publickey for ann from 10.0.0.4 port 50122 ssh2: ED25519 SHA256:{an:43}
[10:02:11] worker 3: processed key range 0x{hex:16}..0x{hex:16}
0x{hex:40}
at Object.<anonymous> (/home/ann/app/node_modules/jws/lib/sign-stream.js:32:12)
    at processTicksAndRejections (node:internal/process/task_queues:95:5)
  File "/usr/lib/python3.11/site-packages/keyring/backends/SecretService.py", line 77, in get_password
<function get_token at 0x7f{hex:10}>
<_io.TextIOWrapper name='keys.txt' mode='r' encoding='UTF-8'>
{"level":30,"time":1767520931120,"pid":812,"hostname":"api-1","reqId":"{an:8}","msg":"request completed"}
{"cursor": "{b64:24}", "has_more": true}
nextPageToken: null
"next_page_token": ""
next_token = tokens[i + 1]
cursor={url:32}
bucket key pattern: logs/{{year}}/{{month}}
Ctrl+Shift+K, then press any key to continue
Please choose a strong password and keep your API key secret.
Do you want to create a new token? [y/N]
The secret to good soup is patience: start early.
Passing the token: see the section "Tokens" below.
| `api_key` | string | your API key, as shown in the console |
| password | required | at least 12 characters |
--token TOKEN    token for the hub (default: $HUB_TOKEN)
--password-file FILE  read the password from FILE
usage: app [-h] [--api-key KEY] [--secret-name NAME]
set -x
set -euo pipefail
set -x PATH /usr/local/bin $PATH
set -gx EDITOR vim
set -x TOKEN_DIR /home/ann/.tokens
\x1b[32mPASS\x1b[0m tests/token.test.ts
\x1b[32m✔\x1b[39m password is checked \x1b[90m(12ms)\x1b[39m
\x1b[1mdiff --git a/token.py b/token.py\x1b[m
\x1b[32m+    token: str = ""\x1b[m
\x1b[33mcommit {hex:40}\x1b[m
\x1b[1;34mpassword\x1b[0m: \x1b[33mstring\x1b[0m, required
\x1b[31mERROR\x1b[0m: invalid token \x1b[1m';'\x1b[0m
Author: Ann Example <ann@example.org>
drwxr-xr-x 3 root root 4096 Jan 4 10:02 secrets
keys = sorted(data.keys(), key=str.lower)
token = lexer.next()
"token": {"type": "string", "description": "The token to use"}
password: Yup.string().min(12).required()
passwordHash: bcrypt.hashSync(password, 10)
const [password, setPassword] = useState('')
<PasswordInput value={password} onChange={e => setPassword(e.target.value)} />
throw new UnauthorizedException('Invalid token: expired')
jwt.verify(token, process.env.JWT_SECRET)
secretRef: {name: app-secrets}
tokenReviews.authentication.k8s.io
kubectl get secret db -o jsonpath='{.data.password}' | base64 -d
VITE_PUBLIC_KEY_PATH=/etc/keys/pub.pem
keybindings: ctrl+shift+p, ctrl+k ctrl+s
"keywords": ["auth", "token", "jwt"]
--- PASS: TestKey/uuid-{uuid} (0.00s)
{hex:40} refs/pull/12/head
From https://github.com/acme/app * [new branch] token-fix -> origin/token-fix
Counting objects: 100% (12/12), done.
sha1-{b64:20}
"_resolved": "https://registry.example.org/token-types/-/token-types-5.0.1.tgz"
/nix/store/{low:32}-python3-3.11.7
/home/ann/.cache/pip/http/{hex:1}/{hex:1}/{hex:1}/{hex:56}
blob:https://example.org/{uuid}
sourceMappingURL=main.{hex:8}.js.map
Etag: "{hex:40}"
x-request-id={uuid} key=orders
tokens_per_second: 81.2
Total tokens: 12034 (cache 9921)
assert password != hashed_password
E   assert {'token': 'abc'} == {'token': 'abd'}
expected password to equal "secret"
WARN Password authentication is deprecated
info: Secret "db" rotated 3 days ago
RSA key fingerprint is SHA256:{an:43}.
kid: {hex:40}
"kid": "{url:43}", "kty": "RSA", "n": "{url:120}"
public_key: "{b64:32}"
peer public key: {b64:32}
PublicKey = {b64:32}
host_key_checking = False
ssh-keygen -t ed25519 -C ann@example.org
authorized_keys: 3 entries
Content-Security-Policy: script-src 'nonce-{b64:16}'
csrfmiddlewaretoken: required
v8.serialize cacheKey=tsc-{hex:32}
CACHE_KEY=deps-v1-{hex:64}
cache key: Linux-node-{hex:64}
key_id: {hex:16}
lock_key: jobs/{num:6}
registry_key=HKEY_LOCAL_MACHINE\Software\Acme
Sort key: created_at desc
Key: value
key1=value1 key2=value2
AUTH_MODE=oidc
AUTH_URL=https://login.example.org
passed: 41, failed: 2
Passport: expired
compass=north
"""  # noqa: E501


def list_harmless(seed: int = 5) -> list[str]:
    source = random.Random(seed)
    lines = _HARMLESS.strip("\n").split("\n")
    return [fill(line, source).replace("\\x1b", "\x1b") for line in lines]
