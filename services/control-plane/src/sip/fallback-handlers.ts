import type { SipInviteRequestMessage } from '@calls/api-contract/bus/sip-invites';
import { SipFallbackHandlerResponse } from '@calls/api-contract/rest/sip';
import { requestNormalizer } from '@calls/api-contract/validation/request-normalizer';
import { textIssues } from '@calls/api-contract/validation/text-issues';
import type { Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import { hasMoreValuesThan, MAX_BODY_VALUES } from '@calls/foundation/schema/count-values';
import { compileValidator } from '@calls/foundation/schema/validator';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { signRequest } from '@calls/outbound-http/request-signature';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { sipSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { SipConfigRow } from '@calls/store/tables/sip';

/** Time limit of a handler. The caller hears silence until it responds. */
const TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Maximum number of pending requests per account and process, so that slow handlers do not delay other accounts. */
const MAX_RUNNING = 8;

export interface FallbackHandlerDeps {
  secretBox: SecretBox;
  outbound: Pick<OutboundHttp, 'request'>;
  clock: Clock;
}

type Handler = NonNullable<SipConfigRow['fallback_handler']>;

const normalizeResponse = requestNormalizer(SipFallbackHandlerResponse);
const responseValidator = compileValidator('response of the fallback handler', SipFallbackHandlerResponse);

/** Asks customers' servers how to handle SIP calls that match none of their agents. */
export class FallbackHandlers {
  readonly #deps: FallbackHandlerDeps;
  readonly #runningBy = new Map<string, number>();

  constructor(deps: FallbackHandlerDeps) {
    this.#deps = deps;
  }

  /** Throws an AppError if the handler gives no valid response. */
  async request(
    accountId: string,
    handler: Handler,
    invite: SipInviteRequestMessage,
  ): Promise<SipFallbackHandlerResponse> {
    const running = this.#runningBy.get(accountId) ?? 0;
    if (running >= MAX_RUNNING) throw failed('too many requests to this handler are pending');
    this.#runningBy.set(accountId, running + 1);
    try {
      return await this.#request(accountId, handler, invite);
    } finally {
      const left = (this.#runningBy.get(accountId) ?? 1) - 1;
      if (left === 0) this.#runningBy.delete(accountId);
      else this.#runningBy.set(accountId, left);
    }
  }

  async #request(
    accountId: string,
    handler: Handler,
    invite: SipInviteRequestMessage,
  ): Promise<SipFallbackHandlerResponse> {
    const { secretBox, outbound, clock } = this.#deps;
    const body = JSON.stringify({ accountId, ...invite });
    const secrets = handler.secrets.map((sealed) => secretBox.open(sealed, sipSecretContext(accountId)));
    const { timestamp, signature } = signRequest(body, secrets, clock.wallMs());
    const response = await outbound.request({
      method: 'POST',
      url: handler.url,
      headers: {
        'Content-Type': 'application/json',
        'X-Svc-Webhook-Timestamp': timestamp,
        'X-Svc-Webhook-Signature': signature,
      },
      body,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      owner: accountId,
    });
    if (response.status < 200 || response.status > 299) {
      response.close();
      throw failed(`the response status was ${response.status}`);
    }
    const { value: said, issues } = normalizeResponse(parsed(await response.bytes()));
    const [issue] = [...issues, ...responseValidator.issues(said), ...textIssues(said)];
    if (issue) throw failed(`the response is not valid: ${issue.path} ${issue.message}`);
    return responseValidator.parse(said);
  }
}

function parsed(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw failed('the response is not JSON');
  }
  if (!hasMoreValuesThan(value, MAX_BODY_VALUES)) return value;
  throw failed(`the response has more than ${MAX_BODY_VALUES} values`);
}

function failed(reason: string): AppError {
  return new AppError('fallback_handler_failed', reason);
}
