import { durationToMs, type CreatedCall, type Fault, type StartCallRequest } from '@calls/api-contract';
import type { Bus } from '@calls/bus';
import { newId, toError, type Clock, type Logger } from '@calls/foundation';
import {
  findDefaultVoice,
  findVoicesByIdOrName,
  insertCall,
  type CallRow,
  type Database,
  type VoiceRow,
} from '@calls/store';
import { HttpProblem, invalidRequest, unavailable } from '../http/problem.ts';
import type { SentRows } from '../outbox/sent-rows.ts';
import { buildCallSpec } from './build-call-spec.ts';
import { isUuid } from './is-uuid.ts';
import { requestFaults } from './request-faults.ts';
import { resolveSettings } from './resolve-settings.ts';

/** The relay leaves a new message alone that long: it is published at once, here. */
const RELAY_DELAY_MS = 5000;

export interface CallCreatorParts {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Logger;
  models: readonly string[];
  sentRows: SentRows;
}

/**
 * Checks a request, stores the call with the message about it, publishes the message. A call that was stored is never
 * lost: what can't be published now the outbox relay publishes later.
 */
export class CallCreator {
  readonly #parts: CallCreatorParts;

  constructor(parts: CallCreatorParts) {
    this.#parts = parts;
  }

  async create(
    accountId: string,
    body: unknown,
    options: { greetingPromptEnabled: boolean },
  ): Promise<CallRow> {
    const { request, voice } = await this.#check(accountId, body);
    const { medium } = request;
    if (!medium?.serverWebSocket) {
      const detail =
        'This server does not offer WebRTC, the default medium, yet; set medium.serverWebSocket to call over a WebSocket.';
      throw new HttpProblem(422, 'medium_not_available', detail);
    }
    // Nobody could join before the bus is back; nothing is written for a call that can't be.
    if (!this.#parts.bus.connected) throw unavailable();

    const settings = resolveSettings({ ...request, medium });
    const createdAtMs = this.#parts.clock.wallMs();
    const ids = { callId: newId(), accountId, firstStageId: newId() };
    const message: CreatedCall = {
      admissionClass: 'standard',
      spec: buildCallSpec({
        ...ids,
        createdAtMs,
        settings,
        serverWebSocket: medium.serverWebSocket,
        voice: { engine: voice.engine, settings: voice.engine_settings },
        greetingPromptEnabled: options.greetingPromptEnabled,
      }),
    };
    const outboxId = newId();
    await insertCall(this.#parts.db, {
      ...ids,
      createdAt: new Date(createdAtMs),
      expiresAt: new Date(createdAtMs + durationToMs(settings.joinTimeout)),
      voiceId: voice.voice_id,
      settings,
      outboxId,
      outboxDelayMs: RELAY_DELAY_MS,
      message,
    });
    await this.#publish(message, outboxId);
    return {
      call_id: ids.callId,
      account_id: accountId,
      created_at: new Date(createdAtMs),
      expires_at: new Date(createdAtMs + durationToMs(settings.joinTimeout)),
      joined_at: null,
      ended_at: null,
      end_reason: null,
      client_version: null,
      voice_id: voice.voice_id,
      billing_status: 'BILLING_STATUS_PENDING',
      billed_duration_ms: null,
      side_input_tokens: null,
      side_output_tokens: null,
      short_summary: null,
      summary: null,
      recording_key: null,
      recording_duration_ms: null,
      recording_bytes: null,
      metadata: settings.metadata,
      settings,
    };
  }

  /** Names all faults at once: the body's own, and those that only the catalogues can tell. */
  async #check(accountId: string, body: unknown): Promise<{ request: StartCallRequest; voice: VoiceRow }> {
    const faults = requestFaults(body);
    const { model, voice: named, languageHint } = asFields(body);
    if (
      typeof model === 'string' &&
      !faults.some((fault) => fault.path === 'model') &&
      !this.#parts.models.includes(model)
    ) {
      faults.push({ path: 'model', message: `must be one of ${this.#parts.models.join(', ')}` });
    }
    let voice: VoiceRow | undefined;
    if (typeof named === 'string' && !faults.some((fault) => fault.path === 'voice')) {
      const found = await this.#findVoice(accountId, named);
      if ('fault' in found) faults.push(found.fault);
      else voice = found.voice;
    }
    if (faults.length > 0) throw invalidRequest('request body', faults);
    voice ??= await findDefaultVoice(this.#parts.db, typeof languageHint === 'string' ? languageHint : null);
    if (!voice)
      throw new HttpProblem(422, 'no_voice', 'The catalogue of voices is empty; prepare the database first.');
    return { request: body as StartCallRequest, voice };
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

  async #publish(message: CreatedCall, outboxId: string): Promise<void> {
    const { callId } = message.spec;
    try {
      await this.#parts.bus.publishCreatedCall(message, callId);
      this.#parts.sentRows.add(outboxId);
    } catch (thrown) {
      this.#parts.log.warn({ callId, err: toError(thrown) }, 'created call left to the outbox relay');
    }
  }
}

function asFields(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
}
