import type {
  AssignedRegistration,
  SipRegistrationsReplyMessage,
  SipRegistrationsRequestMessage,
} from '@calls/api-contract/bus/sip-registrations';
import type { Seal } from '@calls/bus/call-seal';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { sipSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import { leaseRegistrations, type LeasedRegistration } from '@calls/store/tables/sip-registration-leases';

/** A worker that sends no request for this long loses its registrations. Workers send one every two seconds. */
const LEASE_MS = 10_000;

export interface RegistrationLeasesDeps {
  db: Database;
  secretBox: SecretBox;
  registrationSeal: Seal<AssignedRegistration>;
  log: Logger;
}

/** Leases registrations to a media-worker, which registers them at their servers. */
export async function leaseSipRegistrations(
  deps: RegistrationLeasesDeps,
  request: SipRegistrationsRequestMessage,
): Promise<SipRegistrationsReplyMessage> {
  const known = new Map(request.held.map((each) => [each.registrationId, each]));
  const isUnchanged = ({ registration_id: id, version, epoch }: LeasedRegistration): boolean =>
    known.get(id)?.version === version && known.get(id)?.epoch === epoch;
  const leased = await leaseRegistrations(deps.db, request, LEASE_MS);
  return {
    leaseMs: LEASE_MS,
    held: leased.filter(isUnchanged).map((row) => row.registration_id),
    assigned: leased.filter((row) => !isUnchanged(row)).flatMap((row) => assigned(deps, row) ?? []),
  };
}

/** Null if the password cannot be decrypted, so that the other registrations are still assigned. */
function assigned(
  { secretBox, registrationSeal, log }: RegistrationLeasesDeps,
  row: LeasedRegistration,
): AssignedRegistration | null {
  try {
    return registrationSeal.seal({
      registrationId: row.registration_id,
      accountId: row.account_id,
      version: row.version,
      epoch: row.epoch,
      username: row.username,
      authUser: row.auth_user,
      password: secretBox.open(row.sealed_password, sipSecretContext(row.account_id)),
      proxy: row.proxy,
      outboundProxy: row.outbound_proxy,
      contactUser: row.contact_user,
    });
  } catch (thrown) {
    const { registration_id: registrationId } = row;
    log.error(
      { registrationId, err: toError(thrown) },
      'failed to decrypt the password of a SIP registration',
    );
    return null;
  }
}
