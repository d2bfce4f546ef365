import type { ModelToolCall } from '@calls/engine-ports/language-model';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { newId } from '@calls/foundation/ids';
import { parsedJson } from '../json-text.ts';
import type { ToolCallDelta } from './wire.ts';

export interface ToolCallLimits {
  /** Maximum number of tool calls per response. */
  maxToolCalls: number;
  /** Maximum number of characters of all arguments in a response. */
  maxArgumentCharacters: number;
}

interface OpenCall {
  id: string;
  name: string;
  pieces: string[];
}

/**
 * Assembles the tool calls of one response from their parts. According to the protocol, `index` identifies the call of
 * a part, but servers differ: some omit it, some give every call the index 0 (a new id and name then start a new call),
 * some omit the id, some send a new id with every part.
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
    const written = delta.function?.arguments ?? '';
    const piece = typeof written === 'string' ? written : JSON.stringify(written);
    const current = this.#atIndex.get(index);
    const call = !current || beginsAnother(current, id, name) ? this.#begin(index) : current;
    call.id ||= id;
    call.name ||= name;
    call.pieces.push(piece);
    this.#characters += piece.length;
    if (this.#characters > this.#limits.maxArgumentCharacters) throw this.#malformed('arguments too long');
  }

  /** The calls so far; each is returned once. Call it after the finish reason: before, they may be incomplete. */
  take(): ModelToolCall[] {
    const calls = this.#calls;
    this.#calls = [];
    this.#atIndex.clear();
    return calls.map(({ id, name, pieces }) => {
      if (name === '') throw this.#malformed('no name');
      // Tools without parameters are often called without arguments.
      return { id: id || `call_${newId()}`, name, arguments: pieces.join('').trim() || '{}' };
    });
  }

  #begin(index: number | null): OpenCall {
    this.#begun += 1;
    if (this.#begun > this.#limits.maxToolCalls) throw this.#malformed('more calls than allowed');
    const call = { id: '', name: '', pieces: [] };
    this.#calls.push(call);
    this.#atIndex.set(index, call);
    return call;
  }

  #malformed(what: string): ProviderError {
    return new ProviderError(this.#provider, 'malformed', `tool calls: ${what}`);
  }
}

/** A part with a function name starts a new call, unless the arguments of the current one are incomplete. */
function beginsAnother(current: OpenCall, id: string, name: string): boolean {
  if (name === '' || current.name === '') return false;
  if (id !== '' && id === current.id) return false;
  const written = current.pieces.join('');
  return written === '' ? id !== '' : parsedJson(written) !== undefined;
}
