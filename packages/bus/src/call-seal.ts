import { hkdfSync } from 'node:crypto';
import { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import { CreatedCall, hideMessages, showMessages } from '@calls/api-contract/bus/created-call';
import { StageReplyMessage, type StageRequestMessage } from '@calls/api-contract/bus/live-calls';
import { AssignedRegistration } from '@calls/api-contract/bus/sip-registrations';
import { StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import { TransferLegReplyMessage } from '@calls/api-contract/bus/transfer-legs';
import { mapMarked } from '@calls/api-contract/marks';
import { NewStage } from '@calls/api-contract/rest/call-records';
import { mapSecrets } from '@calls/api-contract/secrets';
import { CALLED_PARTY_MARK } from '@calls/foundation/schema/keywords';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';

/** Encrypts the secrets in messages between sender and recipient. */
export interface Seal<Message> {
  /** Encrypts the secrets of a message before it is sent and stored in a stream. */
  seal(message: Message): Message;
  /** Decrypts the secrets. Throws a SecretBoxError if a secret was sealed with an unknown key or for another message. */
  open(message: Message): Message;
}

/**
 * Seals created calls. For calls with zero retention, their messages are sealed as well, because no content may be
 * stored on disk.
 */
export type CallSeal = Seal<CreatedCall>;

/** Seals requests for new stages and the replies to them. */
export interface StageSeals {
  requestSeal: Seal<StageRequestMessage>;
  replySealFor: (request: Pick<StageRequestMessage, 'callId' | 'stageId'>) => Seal<StageReplyMessage>;
}

/** `joinTokenSecrets`: newest first; the first seals, all of them open. */
export function createCallSeal(joinTokenSecrets: readonly string[]): CallSeal {
  const sealOf = sealsOf(joinTokenSecrets, 'secrets of created calls');
  return sealOf(
    (call, map) => mapSecrets(CreatedCall, call, map),
    ({ spec }) => `call:${spec.callId}`,
    {
      hide: hideMessages,
      show: showMessages,
    },
  );
}

export function createStageSeals(joinTokenSecrets: readonly string[]): StageSeals {
  const sealOf = sealsOf(joinTokenSecrets, 'secrets of new stages');
  const placeOf = ({ callId, stageId }: Pick<StageRequestMessage, 'callId' | 'stageId'>): string =>
    `${callId}:${stageId}`;
  return {
    requestSeal: sealOf(
      (request, map) => ({ ...request, body: mapSecrets(NewStage, request.body, map) }),
      (request) => `question:${placeOf(request)}`,
    ),
    replySealFor: (request) =>
      sealOf(
        (reply, map) => mapSecrets(StageReplyMessage, reply, map),
        () => `answer:${placeOf(request)}`,
      ),
  };
}

/** Seals the passwords of registrations. */
export function createRegistrationSeal(joinTokenSecrets: readonly string[]): Seal<AssignedRegistration> {
  const sealOf = sealsOf(joinTokenSecrets, 'passwords of SIP registrations');
  return sealOf(
    (registration, map) => mapSecrets(AssignedRegistration, registration, map),
    ({ registrationId }) => `registration:${registrationId}`,
  );
}

/** Seals the state of answered SIP calls: it has phone numbers. */
export function createDialogSeal(joinTokenSecrets: readonly string[]): Seal<StoredDialog> {
  const sealOf = sealsOf(joinTokenSecrets, 'state of SIP calls');
  return sealOf(
    (dialog, map) => mapSecrets(StoredDialog, dialog, map),
    ({ callId }) => `call:${callId}`,
  );
}

/** Seals the credentials of calls to people that users are transferred to. The seal is bound to `legId`. */
export function createTransferLegSeal(
  joinTokenSecrets: readonly string[],
): (legId: string) => Seal<TransferLegReplyMessage> {
  const sealOf = sealsOf(joinTokenSecrets, 'credentials of transfers');
  return (legId) =>
    sealOf(
      (reply, map) => mapSecrets(TransferLegReplyMessage, reply, map),
      () => `leg:${legId}`,
    );
}

/** The part of an entry that is sealed; the seal is bound to the call. */
export type EventOfCall = Pick<CallLogEntry, 'callId' | 'body'>;

/** Seals entries of calls with zero retention: the transfer target of a phone call. */
export function createEventSeal(joinTokenSecrets: readonly string[]): Seal<EventOfCall> {
  const sealOf = sealsOf(joinTokenSecrets, 'words of call events');
  return sealOf(
    (event, map) => mapMarked(CallLogEntry, CALLED_PARTY_MARK, event, map),
    ({ callId }) => `call:${callId}`,
  );
}

/** Additional fields to seal, and how to open them. */
interface Besides<Message> {
  hide(message: Message, seal: (plain: string) => string): Message;
  show(message: Message, open: (sealed: string) => string): Message;
}

function sealsOf(joinTokenSecrets: readonly string[], purpose: string) {
  const keys = joinTokenSecrets.map((secret) => hkdfSync('sha256', secret, 'calls', purpose, 32));
  const box = createSecretBox(keys.map((key) => Buffer.from(key).toString('base64url')));
  /** `placeOf`: the context that a sealed message is bound to. */
  return <Message>(
    mapTexts: (message: Message, map: (text: string) => string) => Message,
    placeOf: (message: Message) => string,
    besides: Besides<Message> = { hide: (message) => message, show: (message) => message },
  ): Seal<Message> => ({
    seal(message) {
      const seal = (plain: string): string => box.seal(plain, placeOf(message));
      return mapTexts(besides.hide(message, seal), seal);
    },
    open(message) {
      const open = (sealed: string): string => box.open(sealed, placeOf(message));
      return mapTexts(besides.show(message, open), open);
    },
  });
}
