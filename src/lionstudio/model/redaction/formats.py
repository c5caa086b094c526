"""Formats of secrets: tokens that are recognised by their own shape, and names whose assigned value is a secret.

The shapes are public facts of the vendors. Every repetition is bounded. A token has 17 letters, digits or signs of
base64 in a row: tokens.py looks nowhere else.
"""

from __future__ import annotations

# The name of the rule, the texts one of which a token starts with, and the shape of the token.
TOKEN_FORMATS: tuple[tuple[str, str, str], ...] = (
    ("anthropic-key", "sk-ant-", r"sk-ant-[0-9A-Za-z_-]{20,200}"),
    ("openrouter-key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{32,100}"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"sk-(?:proj|svcacct|admin|None)-[0-9A-Za-z_-]{20,250}"),
    ("openai-key", "sk-", r"sk-(?=[0-9A-Za-z]{0,200}[0-9])[0-9A-Za-z]{20,200}"),
    ("aws-access-key", "AKIA ASIA ABIA ACCA A3T", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[0-9A-Z])[0-9A-Z]{16}(?![0-9A-Za-z])"),
    ("aws-bedrock-key", "ABSK bedrock-api-key-", r"(?:ABSK|bedrock-api-key-)[0-9A-Za-z+/=-]{40,300}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[0-9A-Za-z]{36,255}"),
    ("github-token", "github_pat_", r"github_pat_[0-9A-Za-z_]{22,255}"),
    (
        "gitlab-token",
        "glpat- gldt- glft- glsoat- glimt- glagent- glrt- glrtr- glptt- glcbt- gloas- glffct- glwt-",
        r"(?:glpat|gldt|glft|glsoat|glimt|glagent|glrt|glrtr|glptt|glcbt|gloas|glffct|glwt)-[0-9A-Za-z_.=-]{18,300}",
    ),
    ("gitlab-token", "GR1348941", r"GR1348941[0-9A-Za-z_-]{20}"),
    ("bitbucket-token", "ATBB", r"ATBB[0-9A-Za-z]{24,60}"),
    ("atlassian-token", "ATATT3", r"ATATT3[0-9A-Za-z_=-]{40,300}"),
    (
        "slack-token",
        "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-",
        r"(?:xox[abeoprs][.-]|xapp-)[0-9A-Za-z.-]{10,250}",
    ),
    (
        "stripe-key",
        "sk_ rk_ whsec_ sk_live_ sk_test_ rk_live_ rk_test_",
        r"(?:[sr]k|whsec)_(?:live_|test_|prod_)?[0-9A-Za-z+/]{16,250}",
    ),
    ("google-key", "AIza", r"AIza[0-9A-Za-z_-]{35}"),
    ("google-oauth", "ya29.", r"ya29\.[0-9A-Za-z_-]{20,400}"),
    ("google-oauth-secret", "GOCSPX-", r"GOCSPX-[0-9A-Za-z_-]{24,40}"),
    ("google-refresh-token", "1//0", r"1//0[0-9A-Za-z_-]{30,300}"),
    ("jwt", "eyJ", r"eyJ[0-9A-Za-z_-]{8,4000}+\.eyJ[0-9A-Za-z_-]{8,8000}+(?:\.[0-9A-Za-z_-]{0,1000})?"),
    ("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[0-9A-Za-z]{30,60}"),
    ("groq-key", "gsk_", r"gsk_[0-9A-Za-z]{40,80}"),
    ("xai-key", "xai-", r"xai-[0-9A-Za-z]{60,120}"),
    ("perplexity-key", "pplx-", r"pplx-[0-9A-Za-z]{40,80}"),
    ("replicate-token", "r8_", r"r8_[0-9A-Za-z]{37}"),
    ("fireworks-key", "fw_", r"fw_[0-9A-Za-z]{22,40}"),
    ("langchain-key", "lsv2_ ls__", r"ls(?:v2)?_(?:pt|sk|_)_?[0-9a-f]{32}_?[0-9a-f]{0,10}"),
    ("cerebras-key", "csk-", r"csk-[0-9a-z]{40,60}"),
    ("npm-token", "npm_", r"npm_[0-9A-Za-z]{36}"),
    ("pypi-token", "pypi-AgE", r"pypi-AgE[0-9A-Za-z_-]{50,500}"),
    ("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    ("crates-token", "cio", r"cio[0-9A-Za-z]{32}"),
    ("clojars-token", "CLOJARS_", r"CLOJARS_[0-9A-Za-z]{60}"),
    ("nuget-key", "oy2", r"oy2[0-9a-z]{43}"),
    ("docker-token", "dckr_", r"dckr_(?:pat|oat)_[0-9A-Za-z_-]{20,60}"),
    ("sendgrid-key", "SG.", r"SG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{32,64}"),
    ("sendinblue-key", "xkeysib- xsmtpsib-", r"x(?:keysib|smtpsib)-[0-9a-f]{64}-[0-9A-Za-z]{16}"),
    ("mailgun-key", "key- pubkey-", r"(?:key|pubkey)-[0-9a-f]{32}"),
    ("twilio-key", "SK", r"SK[0-9a-f]{32}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}"),
    ("grafana-token", "glsa_", r"glsa_[0-9A-Za-z]{32}_[0-9A-Fa-f]{8}"),
    ("grafana-token", "glc_", r"glc_[0-9A-Za-z+/=]{32,400}"),
    ("grafana-key", "eyJrIjoi", r"eyJrIjoi[0-9A-Za-z+/=]{60,400}"),
    ("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[0-9A-Za-z_-]{24,300}"),
    ("vault-token", "s.", r"s\.[0-9A-Za-z]{24}(?![0-9A-Za-z])"),
    (
        "doppler-token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z_.-]{40,80}",
    ),
    ("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    ("datadog-key", "ddog_ ddpub_ ddapp_", r"dd(?:og|pub|app)_[0-9A-Za-z]{32,40}"),
    ("dynatrace-token", "dt0", r"dt0[a-z][0-9]{2}\.[0-9A-Z]{24}\.[0-9A-Z]{64}"),
    ("newrelic-key", "NRAK- NRJS- NRII- NRRA-", r"NR(?:AK|JS|II|RA)-[0-9A-Za-z_-]{19,40}"),
    ("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[0-9A-Za-z+/=_-]{40,400}"),
    ("sonar-token", "squ_ sqp_ sqa_", r"sq[upa]_[0-9a-f]{40}"),
    ("sourcegraph-token", "sgp_", r"sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}"),
    ("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[0-9A-Za-z]{32,64}"),
    ("notion-token", "ntn_ secret_", r"(?:ntn|secret)_[0-9A-Za-z]{43,50}"),
    ("airtable-token", "pat", r"pat[0-9A-Za-z]{14}\.[0-9a-f]{64}"),
    ("figma-token", "figd_ figo_ figu_ figr_", r"fig[dour]_[0-9A-Za-z_-]{36,60}"),
    ("postman-key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("pulumi-token", "pul-", r"pul-[0-9a-f]{40}"),
    ("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_.=-]{32,64}"),
    ("supabase-key", "sbp_ sbs_ sb_secret_", r"(?:sb[ps]_(?:secret_|oauth_)?|sb_secret_)[0-9A-Za-z_-]{30,80}"),
    ("netlify-token", "nfp_", r"nfp_[0-9A-Za-z]{36,60}"),
    ("vercel-token", "vca_ vci_ vcp_ vck_ vcr_ vercel_blob_rw_", r"(?:vc[aipkr]|vercel_blob_rw)_[0-9A-Za-z_-]{24,80}"),
    ("fly-token", "fo1_ fm1 fm2", r"(?:fo1_[0-9A-Za-z_-]{40,60}|fm[12][ar]?_[0-9A-Za-z+/=_-]{60,600})"),
    ("heroku-key", "HRKU-", r"HRKU-[0-9A-Za-z_-]{36,70}"),
    ("cloudflare-key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    ("alibaba-key", "LTAI", r"LTAI[0-9A-Za-z]{16,24}"),
    ("tencent-key", "AKID", r"AKID[0-9A-Za-z]{32}"),
    (
        "yandex-key",
        "AQVN YC t1.",
        r"(?:AQVN[0-9A-Za-z_-]{35,38}|YC[0-9A-Za-z_-]{38}|t1\.[0-9A-Z][0-9A-Za-z_-]{8,400}\.[0-9A-Za-z_-]{86})",
    ),
    ("contentful-token", "CFPAT-", r"CFPAT-[0-9A-Za-z_-]{43}"),
    ("typeform-token", "tfp_", r"tfp_[0-9A-Za-z_.=-]{59}"),
    ("dropbox-token", "sl.", r"sl\.[0-9A-Za-z_=-]{100,1500}"),
    ("square-token", "sq0 EAAA", r"(?:sq0(?:atp|csp|idp)-[0-9A-Za-z_-]{22,43}|EAAA[0-9A-Za-z_-]{56,60})"),
    ("facebook-token", "EAAM EAAC", r"EAA[MC][0-9A-Za-z]{60,300}"),
    (
        "plaid-token",
        "access-sandbox- access-development- access-production-",
        r"access-(?:sandbox|development|production)-[0-9a-f-]{36}",
    ),
    ("flutterwave-key", "FLWSECK FLWPUBK", r"FLW(?:SECK|PUBK)(?:_TEST)?-[0-9a-h]{12,40}-X"),
    ("easypost-key", "EZAK EZTK", r"EZ[AT]K[0-9A-Za-z]{54}"),
    ("duffel-token", "duffel_", r"duffel_(?:test|live)_[0-9A-Za-z_=-]{43}"),
    ("shippo-token", "shippo_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
    ("readme-key", "rdme_", r"rdme_[0-9a-z]{70}"),
    ("prefect-key", "pnu_ pnb_", r"pn[ub]_[0-9A-Za-z]{36}"),
    ("infracost-key", "ico-", r"ico-[0-9A-Za-z]{32}"),
    ("frameio-token", "fio-u-", r"fio-u-[0-9A-Za-z_=-]{64}"),
    ("wakatime-key", "waka_", r"waka_[0-9a-f-]{36}"),
    ("harness-token", "pat. sat.", r"(?:pat|sat)\.[0-9A-Za-z_-]{22}\.[0-9a-f]{24}\.[0-9A-Za-z]{20}"),
    ("jfrog-key", "AKC", r"AKC[0-9A-Za-z]{60,80}"),
    ("jfrog-token", "cmVmdGtu", r"cmVmdGtu[0-9A-Za-z]{50,60}"),
    ("openshift-token", "sha256~", r"sha256~[0-9A-Za-z_-]{43}"),
    ("1password-token", "ops_eyJ", r"ops_eyJ[0-9A-Za-z+/=]{100,1000}"),
    (
        "1password-key",
        "A3-",
        r"A3-[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})-[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}",
    ),
    ("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("mapbox-token", "sk.eyJ", r"sk\.eyJ[0-9A-Za-z_-]{40,200}\.[0-9A-Za-z_-]{20,40}"),
    ("tailscale-key", "tskey-", r"tskey-[a-z]{2,12}-[0-9A-Za-z]{6,30}-[0-9A-Za-z]{16,60}"),
    ("buildkite-token", "bkua_ bkct_", r"bk(?:ua|ct)_[0-9A-Za-z]{40,60}"),
    ("circleci-token", "CCIPAT_", r"CCIPAT_[0-9A-Za-z]{20,30}_[0-9a-f]{40}"),
    ("posthog-key", "phc_ phx_", r"ph[cx]_[0-9A-Za-z]{32,60}"),
    ("resend-key", "re_", r"re_[0-9A-Za-z]{6,10}_[0-9A-Za-z]{20,30}"),
    ("langfuse-key", "sk-lf- pk-lf-", r"[sp]k-lf-[0-9a-f-]{36}"),
    ("helicone-key", "sk-helicone-", r"sk-helicone-[0-9a-z-]{20,60}"),
    ("together-key", "tgp_v1_", r"tgp_v1_[0-9A-Za-z_-]{40,60}"),
    ("voyage-key", "pa-", r"pa-[0-9A-Za-z_-]{43}(?![0-9A-Za-z_-])"),
    ("pinecone-key", "pcsk_", r"pcsk_[0-9A-Za-z_]{50,90}"),
    ("nvidia-key", "nvapi-", r"nvapi-[0-9A-Za-z_-]{60,80}"),
    ("hubspot-token", "pat-", r"pat-(?:na|eu|ap)[0-9]-[0-9a-f-]{36}"),
    ("jwt-base64", "ZXlK", r"ZXlK[0-9A-Za-z+/_-]{60,8000}={0,2}"),
    ("octopus-key", "API-", r"API-[0-9A-Z]{26}(?![0-9A-Za-z])"),
    ("gocardless-token", "live_ sandbox_", r"(?:live|sandbox)_[0-9A-Za-z_=-]{35,45}(?![0-9A-Za-z])"),
    ("intra42-secret", "s-s4t2", r"s-s4t2(?:ud|af)-[0-9a-f]{64}"),
    (
        "authress-key",
        "sc_ ext_ scauth_ authress_",
        r"(?:sc|ext|scauth|authress)_[0-9a-z]{5,30}\.[0-9a-z]{4,6}\.acc[_-][0-9a-z-]{10,32}\.[0-9a-z+/_=-]{30,120}",
    ),
    ("clickhouse-key", "4b1d", r"4b1d[0-9A-Za-z]{38}(?![0-9A-Za-z])"),
    ("scalingo-token", "tk-us-", r"tk-us-[0-9A-Za-z_-]{48}"),
    ("settlemint-token", "sm_pat_ sm_aat_ sm_sat_", r"sm_[aps]at_[0-9A-Za-z]{16}"),
    ("elastic-key", "essu_", r"essu_[0-9A-Za-z+/=]{30,200}"),
    ("neon-key", "napi_", r"napi_[0-9a-z]{40,80}"),
    ("render-key", "rnd_", r"rnd_[0-9A-Za-z]{28,40}"),
    ("deno-token", "ddp_ ddo_", r"dd[po]_[0-9A-Za-z]{36}"),
    ("dbt-token", "dbtc_ dbtu_ dbts_", r"dbt[cus]_[0-9A-Za-z_=-]{30,90}"),
    ("mongodb-secret", "mdb_sa_sk_", r"mdb_sa_sk_[0-9A-Za-z_-]{30,60}"),
    ("launchdarkly-key", "sdk- api-", r"(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    ("stytch-secret", "secret-live- secret-test-", r"secret-(?:live|test)-[0-9A-Za-z_=-]{30,60}"),
    ("paddle-key", "pdl_", r"pdl_(?:live|sdbx)_apikey_[0-9a-z]{26}_[0-9A-Za-z]{22}_[0-9A-Za-z]{3}"),
    ("adyen-key", "AQE", r"AQE[0-9A-Za-z]{5,12}[0-9A-Za-z+/=.-]{60,200}"),
    ("firebase-key", "AAAA", r"AAAA[0-9A-Za-z_-]{7}:APA91b[0-9A-Za-z_-]{100,200}"),
    ("codeclimate-token", "ccprt_", r"ccprt_[0-9A-Za-z]{30,60}"),
    ("scaleway-key", "SCW", r"SCW[0-9A-Z]{17}(?![0-9A-Za-z])"),
    ("confluent-secret", "cflt", r"cflt[0-9A-Za-z+/]{60}"),
    ("rancher-token", "token-", r"token-[0-9a-z]{5}:[0-9a-z]{54}"),
    ("github-oauth", "v1.", r"v1\.[0-9a-f]{40}(?![0-9A-Za-z])"),
    ("gitlab-session", "_gitlab_session=", r"_gitlab_session=[0-9a-z]{32}"),
    ("salesforce-session", "00D", r"00D[0-9A-Za-z]{12,15}![0-9A-Za-z._]{80,200}"),
    ("mapbox-secret", "tk.eyJ", r"tk\.eyJ[0-9A-Za-z_-]{40,200}\.[0-9A-Za-z_-]{20,40}"),
    ("amazon-mws-token", "amzn.mws.", r"amzn\.mws\.[0-9a-f-]{36}"),
    ("amazon-login-secret", "amzn1.oa2-cs.v1.", r"amzn1\.oa2-cs\.v1\.[0-9a-f]{64}"),
    ("onfido-token", "api_live", r"api_live(?:_[a-z]{2})?\.[0-9A-Za-z_-]{11}\.[0-9A-Za-z_-]{32}"),
    ("persona-key", "persona_", r"persona_(?:production|sandbox)_[0-9a-f-]{36}"),
    ("lob-key", "live_pub_ test_pub_", r"(?:live|test)_pub_[0-9a-f]{31}"),
    ("checkout-key", "sk_sbox_", r"sk_sbox_[0-9a-z]{24,40}"),
    (
        "bitwarden-token",
        "0.",
        r"0\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[0-9A-Za-z]{30}:[0-9A-Za-z+/=]{24}",
    ),
    ("infisical-token", "st.", r"st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    ("cockroach-key", "CCDB1_", r"CCDB1_[0-9A-Za-z]{22}_[0-9A-Za-z]{40}"),
    ("turbo-token", "turbo_", r"turbo_[0-9A-Za-z]{30,60}"),
    ("asana-token", "1/ 2/", r"[12]/[0-9]{13,17}(?:/[0-9]{13,17})?:[0-9a-f]{32}"),
)

# Tokens that start with anything: a text inside them, how many characters stand before it, and the shape.
ANCHORED_FORMATS: tuple[tuple[str, str, int, str], ...] = (
    ("mailchimp-key", "-us", 32, r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])"),
    ("telegram-token", ":AA", 10, r"[0-9]{8,10}:AA[0-9A-Za-z_-]{33}"),
    ("terraform-token", ".atlasv1.", 14, r"[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,70}"),
    ("azure-client-secret", "Q~", 4, r"[0-9A-Za-z_~.]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}"),
)
# Tokens without any fixed text; they start where a run of letters and digits starts.
BARE_FORMATS: tuple[tuple[str, str, str], ...] = (
    ("discord-token", "MNO", r"[MNO][0-9A-Za-z_-]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,40}"),
    ("ngrok-token", "2", r"2[0-9A-Za-z]{26}_[0-9A-Za-z]{20,24}(?![0-9A-Za-z])"),
    (
        "jwe",
        "e",
        r"eyJ[0-9A-Za-z_-]{20,1000}\.[0-9A-Za-z_-]{0,1000}\.[0-9A-Za-z_-]{10,100}\.[0-9A-Za-z_-]{10,8000}\.[0-9A-Za-z_-]{10,100}",
    ),
)


# A name that contains one of these may hold a secret; assigned.py has the expressions for them.
STEMS = ("pass", "pwd", "secret", "token", "key", "auth", "credential", "cookie", "_pat", "_pw")


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Beside these endings a name describes a secret and does not hold one.
HARMLESS_ENDINGS = words(
    """
    name names id ids file files path paths url uri type types count counts length limit size field fields
    policy hint label prompt ref version status expiry expires in at manager store provider
    format class error help description env var variable header prefix required enabled usage ttl index
    algorithm scope issuer endpoint rules strength input design signal sign signed significant arn
    """
)
# Keys that are not secrets, whatever their value looks like.
HARMLESS_NAMES = words(
    """
    primary_key foreign_key cache_key sort_key partition_key public_key idempotency_key dedup_key group_key
    object_key hot_key registry_key row_key storage_key translation_key query_key amz_key max_token min_token
    input_token output_token total_token prompt_token completion_token cache_read_token cache_write_token num_token
    n_token thinking_token next_token page_token next_page_token continuation_token pad_token eos_token bos_token
    unk_token sep_token mask_token pathname publishable_key s3_key bucket_key hash_key restore_key gpg_key
    secretsmanager
    """
)
# Words in the name of a key that make even a UUID a secret.
SECRET_KEY_WORDS = words(
    """
    api access secret private auth account license licence master encrypt signing admin service app client subscription
    instrumentation deploy token pass
    """
)
PLACEHOLDERS = words(
    """
    example placeholder changeme change-me change_me your dummy redacted xxxx **** .... todo insert replace
    undefined process.env os.environ getenv environ[ secrets. vault: ssm: required optional < ${ {{ $( %( %s
    """
)
# Words that stand for a password in code, in a form or in prose.
HARMLESS_WORDS = frozenset(
    words("none null nil true false string str text prompt secret self bytes optional required password passwd ask any")
)
# Words in the name of a variable whose random value is not a secret.
HARMLESS_VARIABLES = frozenset(
    words("SHA SHA1 SHA256 SHA512 HASH DIGEST INTEGRITY CHECKSUM COMMIT ETAG ID IDS PATH URL VERSION PUBLIC FILE TAG")
)
