import { CreatedCall } from '@calls/api-contract/bus/created-call';
import { EngineRecord } from '@calls/api-contract/bus/engine-record';
import { StoredDialog } from '@calls/api-contract/bus/stored-dialog';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';

/** Lease record of one call. Without `call` the call has ended. */
const LeaseRecord = Type.Object({
  epoch: Type.Integer({ minimum: 1 }),
  holder: Type.Union([
    Type.Object({ workerId: Type.String({ minLength: 1 }), url: Type.String() }),
    Type.Null(),
  ]),
  call: Type.Union([CreatedCall, Type.Null()]),
});
export type LeaseRecord = Static<typeof LeaseRecord>;

/** The record that a media-worker writes every few seconds. */
export const WorkerRecord = Type.Object({
  workerId: Type.String({ minLength: 1 }),
  /** URL of its join server for other workers. */
  url: Type.String(),
  capacity: Type.Integer({ minimum: 0 }),
  activeCalls: Type.Integer({ minimum: 0 }),
  draining: Type.Boolean(),
  /** Why it does not support WebRTC now; null if it does. The name is that of earlier versions. */
  webRtcFault: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Absent in records of versions that do not report them. */
  engines: Type.Optional(Type.Array(EngineRecord)),
});
export type WorkerRecord = Static<typeof WorkerRecord>;

/** Returns null for invalid records, because other versions of the software share the buckets. */
function recordParser<S extends TSchema>(what: string, schema: S): (text: string) => Static<S> | null {
  const validator = compileValidator(what, schema);
  return (text) => {
    try {
      return validator.parse(JSON.parse(text));
    } catch {
      return null;
    }
  };
}

export const parseLeaseRecord = recordParser('lease record', LeaseRecord);
export const parseStoredDialog = recordParser('stored dialog', StoredDialog);
export const parseWorkerRecord = recordParser('worker record', WorkerRecord);
