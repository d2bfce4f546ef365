import { createHash } from 'node:crypto';
import type { CreateCallRequest } from '@calls/call-lifecycle/creation/create-call-request';
import { nameBasedId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import { isUniqueViolation } from '@calls/store/store-error';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import { HttpProblem, invalidRequest } from '../problems/problem.ts';
import type { ApiRequest } from './api-router.ts';

const HEADER = 'Idempotency-Key';
const VALID_KEY = /^[\x21-\x7e]{1,255}$/u;

/** The id of the call, which follows from the key, and a digest of the request. */
type Once = Pick<CreateCallRequest, 'callId' | 'requestDigest'>;

/**
 * Creates a call, at most one for all requests of the account with the same Idempotency-Key. A repeated request gets the
 * call that the first one created. Throws 422 if another request used the key, or if its call is deleted. A request that
 * created no call does not use its key.
 */
export async function createOnce<Created extends CallRow | null>(
  db: Database,
  request: ApiRequest,
  create: (once: Once) => Promise<Created>,
): Promise<Created | CallRow> {
  const { accountId, http, params, query, body } = request;
  const key = http.request.get(HEADER);
  if (key === undefined) return create({});
  if (!VALID_KEY.test(key)) {
    const message = 'must be 1 to 255 visible ASCII characters';
    throw invalidRequest('request', [{ path: HEADER, message }]);
  }
  const callId = nameBasedId(`${HEADER}/${key}`, accountId);
  const said = JSON.stringify([key, params, query, body]);
  const requestDigest = createHash('sha256').update(said).digest('base64url');
  const earlierCall = async (): Promise<CallRow | undefined> => {
    const earlier = await findCall(db, accountId, callId);
    if (earlier && earlier.request_digest !== requestDigest) {
      throw keyUsed('Another request used this Idempotency-Key; use a new key for a new call.');
    }
    return earlier;
  };
  const earlier = await earlierCall();
  if (earlier) return earlier;
  try {
    return await create({ callId, requestDigest });
  } catch (thrown) {
    // The same request may have created the call meanwhile.
    const created = await earlierCall();
    if (created) return created;
    throw isUniqueViolation(thrown)
      ? keyUsed('The call that was created with this Idempotency-Key is deleted.')
      : thrown;
  }
}

function keyUsed(detail: string): HttpProblem {
  return new HttpProblem(422, 'idempotency_key_used', detail);
}
