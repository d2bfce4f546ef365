import { isDeepStrictEqual } from 'node:util';
import { CallTemplate, withoutReadOnly, type AgentChange, type Fault } from '@calls/api-contract';
import {
  CallRefusal,
  checkTemplate,
  invalidCall,
  openTemplate,
  sealTemplate,
  withSecretsOf,
  type CallCreator,
} from '@calls/call-creation';
import { newId, type Clock } from '@calls/foundation';
import type { SecretBox } from '@calls/secret-box';
import {
  findAgent,
  insertAgent,
  lockAgent,
  publishRevision,
  renameAgent,
  type AgentRow,
  type Database,
  type KeyHolder,
} from '@calls/store';

export interface AgentKeeperParts {
  db: Database;
  clock: Clock;
  secretBox: SecretBox;
  creator: CallCreator;
}

/** Writes agents: checks their templates, seals their secrets, makes a revision of every change of a template. */
export class AgentKeeper {
  readonly #parts: AgentKeeperParts;

  constructor(parts: AgentKeeperParts) {
    this.#parts = parts;
  }

  /** The id of the new agent. Throws a CallRefusal for a template that can't be used. */
  async create(holder: KeyHolder, given: AgentChange): Promise<string> {
    const template = given.callTemplate ? withoutTimes(given.callTemplate) : null;
    if (template) await this.#check(holder, template);
    const { accountId } = holder;
    const agentId = newId();
    const createdAt = new Date(this.#parts.clock.wallMs());
    await this.#parts.db.transaction().execute(async (tx) => {
      await insertAgent(tx, { agentId, accountId, name: given.name ?? '', createdAt });
      if (template) await this.#publish(tx, accountId, { agentId, template, templateCreatedAt: createdAt });
    });
    return agentId;
  }

  /** False where the account has no such agent. Throws a CallRefusal for a template that can't be used. */
  async change(holder: KeyHolder, agentId: string, to: AgentChange): Promise<boolean> {
    const { db, clock } = this.#parts;
    const { accountId } = holder;
    const template = to.callTemplate ? withoutTimes(to.callTemplate) : to.callTemplate;
    const found = await findAgent(db, accountId, agentId);
    if (!found) return false;
    if (template)
      await this.#check(holder, withSecretsOf(this.#templateOf(accountId, found) ?? {}, template));
    return db.transaction().execute(async (tx) => {
      const row = await lockAgent(tx, accountId, agentId);
      if (!row) return false;
      if (to.name !== undefined && to.name !== row.name) await renameAgent(tx, agentId, to.name);
      if (template === undefined) return true;
      const current = this.#templateOf(accountId, row);
      const next = template && withSecretsOf(current ?? {}, template);
      if (isDeepStrictEqual(current, next)) return true;
      if (next) {
        const templateCreatedAt = row.template_created_at ?? new Date(clock.wallMs());
        await this.#publish(tx, accountId, { agentId, template: next, templateCreatedAt });
      } else {
        await publishRevision(tx, agentId, null);
      }
      return true;
    });
  }

  #templateOf(accountId: string, { template }: AgentRow): CallTemplate | null {
    return template && openTemplate(this.#parts.secretBox, accountId, template);
  }

  async #publish(
    tx: Database,
    accountId: string,
    to: { agentId: string; template: CallTemplate; templateCreatedAt: Date },
  ): Promise<void> {
    const { clock, secretBox } = this.#parts;
    await publishRevision(tx, to.agentId, {
      revisionId: newId(),
      template: sealTemplate(secretBox, accountId, to.template),
      templateCreatedAt: to.templateCreatedAt,
      createdAt: new Date(clock.wallMs()),
    });
  }

  async #check(holder: KeyHolder, template: CallTemplate): Promise<void> {
    try {
      await checkTemplate(this.#parts.creator, holder, template);
    } catch (thrown) {
      if (!(thrown instanceof CallRefusal) || thrown.kind !== 'invalid') throw thrown;
      throw invalidCall(inAgent(thrown.faults));
    }
  }
}

/** Faults of a template, with their paths in its agent. */
export function inAgent(faults: readonly Fault[]): Fault[] {
  return faults.map(({ path, message }) => ({
    path: path === '' ? 'callTemplate' : `callTemplate.${path}`,
    message,
  }));
}

/** Its times are the service's to say. */
function withoutTimes(given: CallTemplate): CallTemplate {
  return withoutReadOnly(CallTemplate.Request, given) as CallTemplate;
}
