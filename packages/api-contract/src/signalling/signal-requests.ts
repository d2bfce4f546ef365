import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator, type Issue, type Validator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';
import { DtlsParameters, RtpCapabilities, RtpParameters, SctpStreamParameters } from './media-parameters.ts';

const RequestId = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const TransportId = Type.String({ minLength: 1, maxLength: 64 });

function request<T extends string, P extends Record<string, TSchema>>(type: T, parameters: P) {
  return Closed({ type: Type.Literal(type), requestId: RequestId, ...parameters });
}

/** Signalling requests of clients, one schema per `type`. Each gets one SignalResponse. */
const schemas = {
  rtc_connect_transport: request('rtc_connect_transport', {
    transportId: TransportId,
    dtlsParameters: DtlsParameters,
  }),
  /** Sends the microphone over the send transport. Once, or again after that transport has closed. */
  rtc_produce_audio: request('rtc_produce_audio', { rtpParameters: RtpParameters }),
  /** Opens the client's direction of the data channel over the send transport. Once. */
  rtc_produce_data: request('rtc_produce_data', { sctpStreamParameters: SctpStreamParameters }),
  /**
   * Receives the agent's audio and, with `data`, the service's direction of the data channel over the receive
   * transport. Once.
   */
  rtc_consume: request('rtc_consume', { rtpCapabilities: RtpCapabilities, data: Type.Boolean() }),
  rtc_restart_ice: request('rtc_restart_ice', { transportId: TransportId }),
  /** The setup is complete and the call may begin. Answered when the media is connected. */
  rtc_join: request('rtc_join', {}),
} as const;

export type SignalRequest = {
  [K in keyof typeof schemas]: Static<(typeof schemas)[K]>;
}[keyof typeof schemas];
export type SignalRequestOf<K extends SignalRequest['type']> = Extract<SignalRequest, { type: K }>;

const validators = Object.fromEntries(
  Object.entries(schemas).map(([type, schema]) => [type, compileValidator('signalling message', schema)]),
) as Record<string, Validator<SignalRequest> | undefined>;

export type ParsedSignalRequest =
  | { kind: 'request'; request: SignalRequest }
  | { kind: 'malformed'; type: string; requestId: number | null; issues: readonly Issue[] };

/** Null for frames that are not signalling: data messages or unreadable frames. Never throws. */
export function parseSignalRequest(text: string): ParsedSignalRequest | null {
  if (!text.includes('"rtc_')) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return null;
  const { type } = value;
  if (typeof type !== 'string' || !type.startsWith('rtc_')) return null;
  const validator = Object.hasOwn(schemas, type) ? validators[type] : undefined;
  const issues = validator?.issues(value) ?? [{ path: 'type', message: 'is not a signalling request' }];
  if (issues.length === 0) return { kind: 'request', request: value as SignalRequest };
  const requestId =
    'requestId' in value && typeof value.requestId === 'number' && Number.isSafeInteger(value.requestId)
      ? value.requestId
      : null;
  return { kind: 'malformed', type: type.slice(0, 64), requestId, issues };
}
