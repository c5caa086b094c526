"""Made-up secrets of the public shapes of tokens, the texts they stand in, and texts without any secret.

Everything is generated at random with a fixed seed: no file of this repository holds a text that looks like a secret.
"""

from __future__ import annotations

import random
import string
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import NamedTuple

LOWER_HEX, UPPER = "0123456789abcdef", string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"

Make = Callable[[random.Random], str]


def body(length: int, letters: str = ALNUM) -> Make:
    return lambda source: "".join(source.choice(letters) for _ in range(length))


def uuid(source: random.Random) -> str:
    return "-".join(body(length, LOWER_HEX)(source) for length in (8, 4, 4, 4, 12))


# a text with one {} for the secret, and the secret
TOKENS: dict[str, tuple[str, Make]] = {
    "aws access key": ("AKIA{}", body(16, UPPER)),
    "github": ("ghp_{}", body(36)),
    "github app": ("ghs_{}", body(36)),
    "github fine-grained": ("github_pat_{}", body(70, ALNUM + "_")),
    "gitlab": ("glpat-{}", body(20, URL_SAFE)),
    "gitlab runner": ("glrt-{}", body(20, URL_SAFE)),
    "anthropic": ("sk-ant-api03-{}", body(90, URL_SAFE)),
    "openai": ("sk-proj-{}", body(80, URL_SAFE)),
    "openai, old": ("sk-{}", body(48)),
    "openrouter": ("sk-or-v1-{}", body(64, LOWER_HEX)),
    "slack bot": ("xoxb-{}", body(50, string.digits + string.ascii_letters)),
    "slack app": ("xapp-1-{}", body(60)),
    "stripe": ("sk_live_{}", body(24)),
    "stripe webhook": ("whsec_{}", body(32)),
    "google": ("AIza{}", body(35, URL_SAFE)),
    "google oauth": ("ya29.{}", body(60, URL_SAFE)),
    "google client secret": ("GOCSPX-{}", body(28, URL_SAFE)),
    "hugging face": ("hf_{}", body(34)),
    "groq": ("gsk_{}", body(52)),
    "xai": ("xai-{}", body(80)),
    "perplexity": ("pplx-{}", body(48)),
    "replicate": ("r8_{}", body(37)),
    "npm": ("npm_{}", body(36)),
    "pypi": ("pypi-AgEIcHlwaS5vcmc{}", body(120, URL_SAFE)),
    "rubygems": ("rubygems_{}", body(48, LOWER_HEX)),
    "docker": ("dckr_pat_{}", body(27, URL_SAFE)),
    "sendgrid": ("SG.{}", lambda source: f"{body(22, URL_SAFE)(source)}.{body(43, URL_SAFE)(source)}"),
    "mailgun": ("key-{}", body(32, LOWER_HEX)),
    "mailchimp": ("{}-us12", body(32, LOWER_HEX)),
    "twilio": ("SK{}", body(32, LOWER_HEX)),
    "digitalocean": ("dop_v1_{}", body(64, LOWER_HEX)),
    "telegram": ("123456789:AA{}", body(33, URL_SAFE)),
    "shopify": ("shpat_{}", body(32, LOWER_HEX)),
    "grafana": ("glsa_{}", lambda source: f"{body(32)(source)}_{body(8, LOWER_HEX)(source)}"),
    "vault": ("hvs.{}", body(90, URL_SAFE)),
    "databricks": ("dapi{}", body(32, LOWER_HEX)),
    "new relic": ("NRAK-{}", body(27, UPPER)),
    "sentry": ("sntrys_eyJ{}", body(80)),
    "linear": ("lin_api_{}", body(40)),
    "notion": ("ntn_{}", body(46)),
    "airtable": ("pat{}", lambda source: f"{body(14)(source)}.{body(64, LOWER_HEX)(source)}"),
    "figma": ("figd_{}", body(40, URL_SAFE)),
    "postman": ("PMAK-{}", lambda source: f"{body(24, LOWER_HEX)(source)}-{body(34, LOWER_HEX)(source)}"),
    "pulumi": ("pul-{}", body(40, LOWER_HEX)),
    "planetscale": ("pscale_tkn_{}", body(43, URL_SAFE)),
    "netlify": ("nfp_{}", body(40)),
    "heroku": ("HRKU-{}", uuid),
    "terraform": ("{}", lambda source: f"{body(14)(source)}.atlasv1.{body(67)(source)}"),
    "tailscale": ("tskey-auth-{}", lambda source: f"{body(12)(source)}-{body(32)(source)}"),
    "age": ("AGE-SECRET-KEY-1{}", body(58, UPPER)),
    "jwt": ("eyJ{}", lambda source: f"{body(30, URL_SAFE)(source)}.eyJ{body(60)(source)}.{body(43, URL_SAFE)(source)}"),
    "circleci": ("CCIPAT_{}", lambda source: f"{body(22)(source)}_{body(40, LOWER_HEX)(source)}"),
    "supabase": ("sbp_{}", body(40, LOWER_HEX)),
    "azure client secret": ("{}", lambda source: f"{body(3)(source)}8Q~{body(34)(source)}"),
}

TOKENS |= {
    "aws session key": ("ASIA{}", body(16, UPPER)),
    "aws bedrock": ("ABSK{}", body(100, BASE64)),
    "github oauth": ("gho_{}", body(36)),
    "github user": ("ghu_{}", body(36)),
    "github refresh": ("ghr_{}", body(76)),
    "gitlab deploy": ("gldt-{}", body(20, URL_SAFE)),
    "gitlab trigger": ("glptt-{}", body(40, LOWER_HEX)),
    "gitlab feed": ("glft-{}", body(20, URL_SAFE)),
    "gitlab runner, old": ("GR1348941{}", body(20, URL_SAFE)),
    "bitbucket": ("ATBB{}", body(32)),
    "atlassian": ("ATATT3{}", body(180, URL_SAFE)),
    "slack user": (
        "xoxp-{}",
        lambda source: "-".join(body(12, string.digits)(source) for _ in range(3)) + "-" + body(32, LOWER_HEX)(source),
    ),
    "slack refresh": ("xoxe.xoxp-1-{}", body(160)),
    "stripe restricted": ("rk_live_{}", body(24)),
    "stripe test": ("sk_test_{}", body(24)),
    "google refresh": ("1//0{}", body(60, URL_SAFE)),
    "hugging face org": ("api_org_{}", body(34)),
    "fireworks": ("fw_{}", body(24)),
    "langsmith": ("lsv2_pt_{}", lambda source: f"{body(32, LOWER_HEX)(source)}_{body(10, LOWER_HEX)(source)}"),
    "cerebras": ("csk-{}", body(48, string.ascii_lowercase + string.digits)),
    "langfuse": ("sk-lf-{}", uuid),
    "together": ("tgp_v1_{}", body(43, URL_SAFE)),
    "pinecone": ("pcsk_{}", body(70)),
    "nvidia": ("nvapi-{}", body(64, URL_SAFE)),
    "crates": ("cio{}", body(32)),
    "clojars": ("CLOJARS_{}", body(60)),
    "nuget": ("oy2{}", body(43, string.ascii_lowercase + string.digits)),
    "docker organisation": ("dckr_oat_{}", body(32, URL_SAFE)),
    "sendinblue": ("xkeysib-{}", lambda source: f"{body(64, LOWER_HEX)(source)}-{body(16)(source)}"),
    "digitalocean oauth": ("doo_v1_{}", body(64, LOWER_HEX)),
    "discord": ("{}", lambda source: f"M{body(23)(source)}.{body(6)(source)}.{body(38, URL_SAFE)(source)}"),
    "shopify shared": ("shpss_{}", body(32, LOWER_HEX)),
    "shopify app": ("shpca_{}", body(32, LOWER_HEX)),
    "grafana cloud": ("glc_{}", body(100, ALNUM)),
    "grafana, old": ("eyJrIjoi{}", body(80)),
    "vault batch": ("hvb.{}", body(140, URL_SAFE)),
    "vault, old": ("s.{}", body(24)),
    "doppler": ("dp.pt.{}", body(43)),
    "doppler service": ("dp.st.{}", body(43)),
    "datadog": ("ddapp_{}", body(34)),
    "dynatrace": ("dt0c01.{}", lambda source: f"{body(24, UPPER)(source)}.{body(64, UPPER)(source)}"),
    "sentry user": ("sntryu_{}", body(64, LOWER_HEX)),
    "sonar": ("squ_{}", body(40, LOWER_HEX)),
    "sonar project": ("sqp_{}", body(40, LOWER_HEX)),
    "sourcegraph": ("sgp_{}", body(40, LOWER_HEX)),
    "notion, old": ("secret_{}", body(43)),
    "fly": ("fo1_{}", body(43, URL_SAFE)),
    "vercel": ("vcp_{}", body(56)),
    "cloudflare origin": ("v1.0-{}", lambda source: f"{body(24, LOWER_HEX)(source)}-{body(146, LOWER_HEX)(source)}"),
    "alibaba": ("LTAI{}", body(20)),
    "tencent": ("AKID{}", body(32)),
    "yandex": ("AQVN{}", body(36, URL_SAFE)),
    "contentful": ("CFPAT-{}", body(43, URL_SAFE)),
    "typeform": ("tfp_{}", body(59, ALNUM)),
    "dropbox": ("sl.{}", body(136, URL_SAFE)),
    "square": ("sq0atp-{}", body(22, URL_SAFE)),
    "square production": ("EAAA{}", body(60, URL_SAFE)),
    "facebook": ("EAAM{}", body(120)),
    "plaid": ("access-production-{}", uuid),
    "flutterwave": ("FLWSECK-{}-X", body(32, LOWER_HEX)),
    "easypost": ("EZAK{}", body(54)),
    "duffel": ("duffel_live_{}", body(43, URL_SAFE)),
    "shippo": ("shippo_live_{}", body(40, LOWER_HEX)),
    "readme": ("rdme_{}", body(70, string.ascii_lowercase + string.digits)),
    "prefect": ("pnu_{}", body(36)),
    "infracost": ("ico-{}", body(32)),
    "frameio": ("fio-u-{}", body(64, URL_SAFE)),
    "wakatime": ("waka_{}", uuid),
    "harness": ("pat.{}", lambda source: f"{body(22)(source)}.{body(24, LOWER_HEX)(source)}.{body(20)(source)}"),
    "artifact server": ("AKC{}", body(70)),
    "openshift": ("sha256~{}", body(43, URL_SAFE)),
    "1password": ("ops_eyJ{}", body(250)),
    "mapbox": ("sk.eyJ{}", lambda source: f"{body(60)(source)}.{body(22)(source)}"),
    "ngrok": ("2{}", lambda source: f"{body(26)(source)}_{body(22)(source)}"),
    "buildkite": ("bkua_{}", body(40, LOWER_HEX)),
    "posthog": ("phx_{}", body(43)),
    "resend": ("re_{}", lambda source: f"{body(8)(source)}_{body(24)(source)}"),
    "hubspot": ("pat-na1-{}", uuid),
    "octopus": ("API-{}", body(26, UPPER)),
    "clickhouse": ("4b1d{}", body(38)),
    "scalingo": ("tk-us-{}", body(48, URL_SAFE)),
    "elastic": ("essu_{}", body(80)),
    "neon": ("napi_{}", body(64, string.ascii_lowercase + string.digits)),
    "render": ("rnd_{}", body(28)),
    "deno": ("ddp_{}", body(36)),
    "dbt": ("dbtc_{}", body(60)),
    "mongodb": ("mdb_sa_sk_{}", body(40)),
    "launchdarkly": ("sdk-{}", uuid),
    "stytch": ("secret-live-{}", body(36, URL_SAFE)),
    "rancher": ("token-abcde:{}", body(54, string.ascii_lowercase + string.digits)),
    "amazon": ("amzn.mws.{}", uuid),
    "asana": ("1/1203456789012345:{}", body(32, LOWER_HEX)),
    "firebase": ("AAAA{}", lambda source: f"{body(7)(source)}:APA91b{body(134, URL_SAFE)(source)}"),
    "jwt in base64": ("ZXlK{}", body(120)),
    "infisical": (
        "st.{}",
        lambda source: f"{uuid(source)}.{body(32, LOWER_HEX)(source)}.{body(32, LOWER_HEX)(source)}",
    ),
}
# the fixed part, and the secret part that must not survive
TOKEN_PLACES = {
    "alone": "{}",
    "prose": "Please use {} for now, it is valid until May.",
    "json": '{{"a": 1, "value": "{}", "b": [2]}}',
    "json in a string": '"{{\\"line\\": \\"one\\\\n{}\\"}}"',
    "yaml": "spec:\n  data:\n    - {}\n  other: 1\n",
    "shell": "curl -fsS -H 'x-custom: {}' https://host.example.org/v1 | jq .",
    "environment": "export SOME_THING={}\n",
    "url": "https://host.example.org/path?k={}&b=1",
    "log": "2026-01-01T10:00:00Z WARN client[17]: request with {} was refused (status=403)",
    "header": "GET /v1 HTTP/1.1\r\nHost: h\r\nX-Custom: {}\r\n\r\n",
    "diff": "@@ -1 +1 @@\n-credential_here\n+{}\n",
    "colour": "\x1b[32m{}\x1b[0m",
    "markdown": "- use `{}` here",
}


def password(source: random.Random) -> str:
    return f"{body(4, string.ascii_lowercase)(source)}{body(3, string.digits)(source)}!x"


def signs(source: random.Random) -> str:
    """A password with signs that end words in most languages."""
    parts = ((4, "!$&*"), (3, "(,;)"), (4, "#%?+"))
    return "".join(body(length)(source) + source.choice(letters) for length, letters in parts) + "7"


def blanks(source: random.Random) -> str:
    return f"{body(5)(source)} {body(4)(source)} {body(5, string.digits)(source)}"


def mixed(source: random.Random) -> str:
    return f"aB3{body(36)(source)}"


ASSIGNED: dict[str, tuple[str, Make]] = {
    "export": ("export DEPLOY_TOKEN={}", body(24)),
    "letters only": ("API_KEY={}", body(32, string.ascii_letters)),
    "dotenv password": ("DB_PASS={}", password),
    "dotenv personal token": ("AZURE_DEVOPS_PAT={}", body(52, string.ascii_lowercase + string.digits)),
    "yaml": ("  password: {}", password),
    "yaml, quoted with blanks": ('  password: "{} and more"', password),
    "ini": ("aws_secret_access_key = {}", body(40, BASE64)),
    "aws session token": ("aws_session_token={}", body(200, BASE64)),
    "aws json": ('"SecretAccessKey": "{}"', body(40, BASE64)),
    "aws json session": ('"SessionToken": "{}"', body(300, BASE64)),
    "python": ('client_secret = "{}"', body(32)),
    "python single quotes": ("password='{}'", password),
    "javascript": ('const apiKey = "{}";', body(32)),
    "typescript": ("accessToken: '{}',", body(40)),
    "java": ('String dbPassword = "{}";', password),
    "escaped json": ('{{\\"api_key\\": \\"{}\\"}}', body(32)),
    "npmrc": ("//registry.example.org/:_authToken={}", uuid),
    "kubeconfig": ("    client-key-data: {}", body(200, BASE64)),
    "kubernetes token": ("    token: {}", body(60)),
    "docker config": ('"auths": {{"host": {{"auth": "{}"}}}}', body(40, BASE64)),
    "netrc": ("machine host login me password {}", password),
    "redis": ("redis://:{}@localhost:6379/0", body(12)),
    "postgres": ("postgresql://app:{}@db/app", body(12)),
    "amqp": ("amqp://guest:{}@mq:5672", password),
    "connection string": ("Server=db;User Id=app;Password={};Encrypt=true", password),
    "azure storage": ("AccountName=x;AccountKey={}==;EndpointSuffix=core", body(86, BASE64)),
    "azure sas": ("https://x.blob.core/c?sv=2024&sig={}%3D", body(43, ALNUM)),
    "bearer": ("Authorization: Bearer {}", body(40)),
    "basic": ("Authorization: Basic {}", body(30, BASE64)),
    "github header": ("Authorization: token {}", body(40, LOWER_HEX)),
    "cookie": ("Cookie: sid={}; theme=dark", body(40)),
    "set-cookie": ("Set-Cookie: session={}; Path=/; HttpOnly", body(60, BASE64)),
    "flag": ("mysql-sync --password {} --host db", password),
    "flag with equals": ("tool --api-key={}", body(32)),
    "curl": ("curl -u admin:{} https://host", password),
    "sshpass": ("sshpass -p {} ssh host", password),
    "slack webhook": (
        "https://hooks.slack.com/services/{}",
        lambda source: f"T{body(8, UPPER)(source)}/B{body(8, UPPER)(source)}/{body(24)(source)}",
    ),
    "query": ("GET /v1?access_token={} HTTP/1.1", body(40)),
    "heroku": ("HEROKU_API_KEY={}", uuid),
    "cohere": ("COHERE_API_KEY={}", body(40)),
    "datadog": ("DD_API_KEY={}", body(32, LOWER_HEX)),
    "django": ("SECRET_KEY = 'django-insecure-{}'", body(50, ALNUM + "@#$%^&*(-_=+)")),
    "terraform variable": ('db_password = "{}"', password),
    "passphrase": ('passphrase: "{}"', password),
    "windows": ("set GH_TOKEN={}", body(40)),
    "log line": ("2026-01-01 INFO connecting password={} retries=3", password),
}

ASSIGNED |= {
    "x token": ("X_TOKEN={}", body(24)),
    "x pass": ("SMTP_PASS={}", password),
    "x pat": ("GITHUB_PAT={}", body(40)),
    "password with signs": ("DB_PASSWORD={}", signs),
    "password with signs, yaml": ("password: {}", signs),
    "password with signs, quoted": ('"password": "{}"', signs),
    "password with blanks": ('password = "{}"', blanks),
    "password with blanks, yaml": ("  password: '{}'", blanks),
    "letters-only secret": ("client_secret: {}", body(40, string.ascii_letters)),
    "letters-only token": ('"token": "{}"', body(32, string.ascii_letters)),
    "hex token": ("auth_token={}", body(32, LOWER_HEX)),
    "camel case": ('"apiSecret": "{}"', body(36)),
    "json password": ('{{"user": "a", "password": "{}"}}', password),
    "python dictionary": ("{{'api_key': '{}'}}", body(32)),
    "ruby hash": (":secret_key_base => '{}'", body(64, LOWER_HEX)),
    "go": ('apiToken := "{}"', body(40)),
    "c#": ('var clientSecret = @"{}";', body(40)),
    "php": ("$db_password = '{}';", password),
    "properties": ("spring.datasource.password={}", password),
    "toml": ('api_token = "{}"', body(36)),
    "xml element": ("<password>{}</password>", password),
    "xml attribute": ('<add key="ApiSecret" value="{}"/>', body(32)),
    "xml token": ("<apiToken>{}</apiToken>", body(40)),
    "kubernetes env": ("- name: DB_PASSWORD\n  value: {}\n", password),
    "kubernetes env, json": ('{{"name": "API_TOKEN", "value": "{}"}}', body(32)),
    "terraform default": ('admin_password = "{}"', password),
    "yaml block": ("api_key: |\n  {}\n", body(40)),
    "compose": ("      - POSTGRES_PASSWORD={}", password),
    "dockerfile": ("ENV API_TOKEN={}", body(32)),
    "github actions": ("::set-output name=token::x\nMY_TOKEN: {}", body(32)),
    "powershell": ("$env:AZURE_CLIENT_SECRET = '{}'", body(40)),
    "powershell argument": ("Connect-Thing -ApiKey {} -Verbose", body(32)),
    "argument list": ('["tool", "--token", "{}"]', body(32)),
    "mysql": ("mysql -h db -u app -p{} app", password),
    "redis-cli": ("redis-cli -h r -a {} ping", password),
    "docker login": ("docker login -u me -p {} registry.example.org", password),
    "openssl": ("openssl rsa -passin pass:{} -in k.pem", password),
    "sql": ("CREATE USER app WITH PASSWORD '{}';", password),
    "sql, mysql": ("CREATE USER 'a'@'%' IDENTIFIED BY '{}';", password),
    "pgpass": ("db.example.org:5432:app:app:{}", password),
    "mongodb url": ("mongodb+srv://app:{}@c0.example.net/db", password),
    "mysql url": ("mysql://root:{}@db:3306/x", body(16)),
    "git url": ("https://me:{}@git.example.org/a/b.git", body(30)),
    "url with at sign": ("postgres://u:{}@h/db", lambda source: f"{body(6)(source)}@{body(6)(source)}"),
    "proxy": ("http_proxy=http://u:{}@proxy:3128", body(14)),
    "api key header": ("X-Api-Key: {}", body(32)),
    "vault header": ("X-Vault-Token: {}", body(30)),
    "azure header": ("Ocp-Apim-Subscription-Key: {}", body(32, LOWER_HEX)),
    "gitlab header": ("PRIVATE-TOKEN: {}", body(24)),
    "okta": ("Authorization: SSWS {}", body(42, URL_SAFE)),
    "apikey scheme": ("Authorization: ApiKey {}", body(60, BASE64)),
    "authorization, json": ('"Authorization": "Bearer {}"', body(40)),
    "basic, json": ("'authorization': 'Basic {}'", lambda source: b64encode(f"u:{body(18)(source)}".encode()).decode()),
    "proxy authorization": ("Proxy-Authorization: Basic {}", body(28, ALNUM)),
    "cookies": ("cookie: a=1; connect.sid={}; b=2", body(60)),
    "azure sas signature": ("?sv=2024-01-01&se=2026&sr=b&sp=r&sig={}", body(44, ALNUM)),
    "aws presigned": ("&X-Amz-Date=20260101T000000Z&X-Amz-Signature={}", body(64, LOWER_HEX)),
    "discord webhook": ("https://discord.com/api/webhooks/123456789012345678/{}", body(68, URL_SAFE)),
    "teams webhook": (
        "https://x.webhook.office.com/webhookb2/{}",
        lambda source: f"{uuid(source)}@{uuid(source)}/IncomingWebhook/{body(32, LOWER_HEX)(source)}",
    ),
    "service bus": ("Endpoint=sb://x.servicebus/;SharedAccessKeyName=k;SharedAccessKey={}=", body(43, BASE64)),
    "jdbc": ("jdbc:postgresql://h/db?user=a&password={}", password),
    "rails": ("secret_key_base: {}", body(128, LOWER_HEX)),
    "wandb": ("WANDB_API_KEY={}", body(40, LOWER_HEX)),
    "mistral": ("MISTRAL_API_KEY={}", body(32)),
    "azure openai": ("AZURE_OPENAI_API_KEY={}", body(32, LOWER_HEX)),
    "unnamed variable": ("LEGACY_BACKEND={}", mixed),
    "encryption key": ("ENCRYPTION_KEY={}=", body(43, BASE64)),
    "ansible": ("ansible_become_pass: {}", password),
    "ansible vault": ("ansible_ssh_pass={}", password),
    "wifi": ('psk_passphrase="{}"', password),
    "gradle": ("signing.password={}", password),
    "maven": ("<server><id>x</id><password>{}</password></server>", password),
    "cargo": ('token = "{}"', body(36)),
    "pip": ("index-url = https://u:{}@pypi.example.org/simple", body(20)),
    "twine": ("TWINE_PASSWORD={}", password),
    "log of a login": ("login failed for bob with password={}", password),
    "diff": ("+DB_PASSWORD={}", password),
    "diff, yaml": ("-  password: {}", password),
    "quoted shell": ("export API_SECRET='{}'", body(30)),
    "query with others": ("/cb?code=1&client_secret={}&x=y", body(40)),
    "escaped twice": ('{{\\\\\\"password\\\\\\": \\\\\\"{}\\\\\\"}}', password),
}

# how a text with a name and a value is written down
ASSIGNED_PLACES = {
    "alone": "{}",
    "prose": "It says this:\n\n{}\n\nand then it goes on.",
    "log": "{}\n2026-01-01T10:00:00Z INFO done in 12 ms\n",
    "indented": "    {}\n",
    "diff": "@@ -1,2 +1,2 @@\n context\n+{}\n",
}


class Sample(NamedTuple):
    shape: str
    place: str
    text: str
    secret: str


def list_samples(seed: int = 7) -> Iterator[Sample]:
    source = random.Random(seed)
    for shapes, places in ((TOKENS, TOKEN_PLACES), (ASSIGNED, ASSIGNED_PLACES)):
        for shape, (pattern, make) in shapes.items():
            for place, around in places.items():
                secret = make(source)
                yield Sample(shape, place, around.format(pattern.format(secret)), secret)


HARMLESS = (
    "password: required",
    "Password: optional",
    "password = getpass.getpass()",
    "password: str",
    "def login(user: str, password: str) -> None:",
    "the token is checked before the key is read",
    "max_tokens: 4096",
    '"input_tokens": 1234, "output_tokens": 99',
    "secret_name: projects/x/secrets/y",
    "sk-learn-contrib-imbalanced-learn",
    "token_type: bearer",
    "api_key = os.environ['API_KEY']",
    "API_KEY=${API_KEY}",
    "password: ${{ secrets.PASSWORD }}",
    "token = get_token(request)",
    "const token = await auth.getAccessToken();",
    "primary_key=True",
    "key: value",
    "keyword = 'while'",
    "author: Ada Lovelace",
    "the password must have 12 characters",
    "AKIA is the prefix of access keys",
    "see https://host/path/to/some/long/document-name-2024.html",
    "tokenizer = AutoTokenizer",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "session_id=01a1e339-b183-7d1f-9d8e-0a4f4a3d2c1b",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxvbmdwdWJsaWNrZXlib2R5 me@host",
    "-----BEGIN PUBLIC KEY-----",
    "cookie: the server sets it",
    "password_hash VARCHAR(255) NOT NULL",
    "secretsmanager:GetSecretValue",
    "if token == expected_token:",
    "pwd=$(pwd)",
    "cd /home/me && pwd",
    "passwordless: true",
    "token_count = len(tokens)",
    'placeholder="Enter your password"',
    "api-key: YOUR_API_KEY",
    "password: <your password>",
    "TOKEN=changeme",
    "auth = HTTPBasicAuth(user, password)",
    "foreign_key: users.id",
    "cache_key = f'{user}:{page}'",
    "label for=password",
    "Bearer authentication is used",
    "s3://bucket/key/with/many/parts/data-2024-01-01.parquet",
    "from cryptography.hazmat.primitives.asymmetric import rsa",
    "npm_config_registry",
)
