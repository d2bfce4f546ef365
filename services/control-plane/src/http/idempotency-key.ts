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

/** The id of the resource, which follows from the key, and a digest of the request. */
export interface Idempotency {
  id: string;
  requestDigest: string;
}

interface Stored {
  request_digest: string | null;
}

/**
 * Creates a resource (`kind`), at most one for all requests of the account with the same Idempotency-Key. A repeated
 * request gets what the first one created. Throws 422 if another request used the key, or if a tombstone has its id. A
 * request that created nothing does not use its key. `idempotency` is null for requests without a key.
 */
export async function createOnce<Created, Found extends Stored>(
  request: ApiRequest,
  kind: string,
  find: (id: string) => Promise<Found | undefined>,
  create: (idempotency: Idempotency | null) => Promise<Created>,
): Promise<Created | Found> {
  const { accountId, http, params, query, body } = request;
  const key = http.request.get(HEADER);
  if (key === undefined) return create(null);
  if (!VALID_KEY.test(key)) {
    const message = 'must be 1 to 255 visible ASCII characters';
    throw invalidRequest('request', [{ path: HEADER, message }]);
  }
  const id = nameBasedId(`${HEADER}/${key}`, accountId);
  const said = JSON.stringify([key, params, query, body]);
  const requestDigest = createHash('sha256').update(said).digest('base64url');
  const findEarlier = async (): Promise<Found | undefined> => {
    const earlier = await find(id);
    if (earlier && earlier.request_digest !== requestDigest) {
      throw keyUsed(`Another request used this Idempotency-Key; use a new key for a new ${kind}.`);
    }
    return earlier;
  };
  const earlier = await findEarlier();
  if (earlier) return earlier;
  try {
    return await create({ id, requestDigest });
  } catch (thrown) {
    // Another attempt of the same request may have created it in the meantime.
    const created = await findEarlier();
    if (created) return created;
    throw isUniqueViolation(thrown)
      ? keyUsed(`The ${kind} that was created with this Idempotency-Key is deleted.`)
      : thrown;
  }
}

/** `createOnce` for calls. */
export function createCallOnce<Created>(
  db: Database,
  request: ApiRequest,
  create: (idempotency: Pick<CreateCallRequest, 'callId' | 'requestDigest'>) => Promise<Created>,
): Promise<Created | CallRow> {
  const find = (callId: string): Promise<CallRow | undefined> => findCall(db, request.accountId, callId);
  return createOnce(request, 'call', find, (idempotency) =>
    create(idempotency ? { callId: idempotency.id, requestDigest: idempotency.requestDigest } : {}),
  );
}

function keyUsed(detail: string): HttpProblem {
  return new HttpProblem(422, 'idempotency_key_used', detail);
}
