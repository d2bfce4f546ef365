import {
  durationToMs,
  isUuid,
  type CreatedCall,
  type Fault,
  type StartCallRequest,
} from '@calls/api-contract';
import { newId, type Clock } from '@calls/foundation';
import {
  findDefaultVoice,
  findVoicesByIdOrName,
  insertCall,
  type CallRow,
  type Database,
  type KeyHolder,
  type VoiceRow,
} from '@calls/store';
import { buildCallSpec } from './build-call-spec.ts';
import { CallRefusal, invalidCall } from './refusal.ts';
import { requestFaults } from './request-faults.ts';
import { resolveSettings } from './resolve-settings.ts';

/** What publishes the message about a call that was stored. */
export interface CallPublisher {
  /** While it can't, nobody could join a new call, and none is created. */
  readonly ready: boolean;
  /** How long the outbox relay leaves a new row to `publish`. */
  readonly relayDelayMs: number;
  /** Doesn't reject: what can't be published now the relay publishes later. */
  publish(message: CreatedCall, outboxId: string): Promise<void>;
}

export interface CallCreatorParts {
  db: Database;
  clock: Clock;
  publisher: CallPublisher;
  models: readonly string[];
}

export interface CallOrder {
  account: Pick<KeyHolder, 'accountId' | 'plan' | 'features'>;
  /** Fits the schema of the request; the rules beyond it are checked here. */
  request: StartCallRequest;
  greetingPromptEnabled: boolean;
}

/**
 * Checks a request, stores the call with the message about it, publishes the message. A call that was stored is never
 * lost. What is wrong with the request is thrown as a CallRefusal that names all faults at once.
 */
export class CallCreator {
  readonly #parts: CallCreatorParts;

  constructor(parts: CallCreatorParts) {
    this.#parts = parts;
  }

  async create(order: CallOrder): Promise<CallRow> {
    const { request, account } = order;
    const { accountId } = account;
    const { db, clock, publisher } = this.#parts;
    const voice = await this.#check(accountId, request);
    const { medium } = request;
    if (!medium?.serverWebSocket) {
      const detail =
        'This server does not offer WebRTC, the default medium, yet; set medium.serverWebSocket to call over a WebSocket.';
      throw new CallRefusal('impossible', 'medium_not_available', detail);
    }
    if (!publisher.ready) {
      throw new CallRefusal('unavailable', 'unavailable', 'Calls cannot be served at the moment.');
    }

    const settings = resolveSettings({ ...request, medium });
    const createdAtMs = clock.wallMs();
    const ids = { callId: newId(), accountId, firstStageId: newId() };
    const message: CreatedCall = {
      admissionClass: 'standard',
      spec: buildCallSpec({
        ...ids,
        createdAtMs,
        settings,
        serverWebSocket: medium.serverWebSocket,
        voice: { engine: voice.engine, settings: voice.engine_settings },
        greetingPromptEnabled: order.greetingPromptEnabled,
      }),
    };
    const outboxId = newId();
    const row = await insertCall(db, {
      ...ids,
      createdAt: new Date(createdAtMs),
      expiresAt: new Date(createdAtMs + durationToMs(settings.joinTimeout)),
      voiceId: voice.voice_id,
      settings,
      outboxId,
      outboxDelayMs: publisher.relayDelayMs,
      message,
    });
    await publisher.publish(message, outboxId);
    return row;
  }

  async #check(accountId: string, request: StartCallRequest): Promise<VoiceRow> {
    const faults = requestFaults(request);
    const { model, voice: named, languageHint } = request;
    if (model !== undefined && !this.#parts.models.includes(model)) {
      faults.push({ path: 'model', message: `must be one of ${this.#parts.models.join(', ')}` });
    }
    let voice: VoiceRow | undefined;
    if (named !== undefined) {
      const found = await this.#findVoice(accountId, named);
      if ('fault' in found) faults.push(found.fault);
      else voice = found.voice;
    }
    if (faults.length > 0) throw invalidCall(faults);
    voice ??= await findDefaultVoice(this.#parts.db, languageHint ?? null);
    if (!voice) {
      const detail = 'The catalogue of voices is empty; prepare the database first.';
      throw new CallRefusal('impossible', 'no_voice', detail);
    }
    return voice;
  }

  async #findVoice(accountId: string, named: string): Promise<{ voice: VoiceRow } | { fault: Fault }> {
    const { db } = this.#parts;
    const byId = isUuid(named) ? await findVoicesByIdOrName(db, accountId, { voiceId: named }) : [];
    const found = byId.length > 0 ? byId : await findVoicesByIdOrName(db, accountId, { name: named });
    const [voice, second] = found;
    if (!voice)
      return { fault: { path: 'voice', message: 'must be the id or the name of a voice in the catalogue' } };
    if (second)
      return { fault: { path: 'voice', message: 'must be an id, as several voices have this name' } };
    return { voice };
  }
}
