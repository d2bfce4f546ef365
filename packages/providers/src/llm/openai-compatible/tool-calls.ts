import type { ModelToolCall } from '@calls/conversation/ports/language-model';
import { ProviderError } from '@calls/conversation/ports/provider-error';
import { newId } from '@calls/foundation/ids';
import { parsedJson } from '../json-text.ts';
import type { ToolCallDelta } from './wire.ts';

export interface ToolCallLimits {
  /** In one answer. */
  maxToolCalls: number;
  /** Of all calls of an answer together. */
  maxArgumentCharacters: number;
}

interface OpenCall {
  id: string;
  name: string;
  pieces: string[];
}

/**
 * Puts the tool calls of one answer together from their pieces. By the protocol `index` says which call a piece belongs to;
 * servers differ: some leave it out, some give every call the index 0 (then another id and name begin another call), some
 * leave out the id, some send a new id with every piece.
 */
export class ToolCallAssembly {
  readonly #provider: string;
  readonly #limits: ToolCallLimits;
  readonly #atIndex = new Map<number | null, OpenCall>();
  #calls: OpenCall[] = [];
  #begun = 0;
  #characters = 0;

  constructor(provider: string, limits: ToolCallLimits) {
    this.#provider = provider;
    this.#limits = limits;
  }

  add(delta: ToolCallDelta): void {
    const index = delta.index ?? null;
    const name = delta.function?.name ?? '';
    const id = delta.id ?? '';
    const piece = delta.function?.arguments ?? '';
    const current = this.#atIndex.get(index);
    const call = !current || beginsAnother(current, id, name) ? this.#begin(index) : current;
    call.id ||= id;
    call.name ||= name;
    call.pieces.push(piece);
    this.#characters += piece.length;
    if (this.#characters > this.#limits.maxArgumentCharacters) throw this.#malformed('arguments too long');
  }

  /** The calls so far, each given once. For an answer that says it is finished: until then they may be incomplete. */
  take(): ModelToolCall[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#atIndex.clear();
    return calls.map(({ id, name, pieces }) => {
      if (name === '') throw this.#malformed('no name');
      // What takes no arguments is often called with none at all.
      return { id: id || `call_${newId()}`, name, arguments: pieces.join('').trim() || '{}' };
    });
  }

  #begin(index: number | null): OpenCall {
    this.#begun += 1;
    if (this.#begun > this.#limits.maxToolCalls) throw this.#malformed('more of them than allowed');
    const call = { id: '', name: '', pieces: [] };
    this.#calls.push(call);
    this.#atIndex.set(index, call);
    return call;
  }

  #malformed(what: string): ProviderError {
    return new ProviderError(this.#provider, 'malformed', `tool calls: ${what}`);
  }
}

/** A piece that names a function again is of another call, unless the one before it is still in the middle of its arguments. */
function beginsAnother(current: OpenCall, id: string, name: string): boolean {
  if (name === '' || current.name === '') return false;
  if (id !== '' && id === current.id) return false;
  const written = current.pieces.join('');
  return written === '' ? id !== '' : parsedJson(written) !== undefined;
}
