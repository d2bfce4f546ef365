import { isDeepStrictEqual } from 'node:util';
import type { AgentChange } from '@calls/api-contract/rest/agent';
import { CallTemplate } from '@calls/api-contract/rest/call-template';
import { withSecretsOf } from '@calls/api-contract/secrets';
import { validateTemplate, type CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import { CallRefusal, invalidCall } from '@calls/call-lifecycle/creation/refusal';
import { openTemplate, sealTemplate } from '@calls/call-lifecycle/creation/stored-secrets';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Issue } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import {
  deleteOldRevisions,
  insertRevision,
  latestTemplate,
  publishRevision,
  type AgentRevisionRow,
  type NewAgentRevision,
} from '@calls/store/tables/agent-revisions';
import {
  agentsAmong,
  findAgent,
  findTestSuite,
  insertAgent,
  lockAgent,
  updateAgent,
  type AgentRow,
} from '@calls/store/tables/agents';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import { newestTestRun } from '@calls/store/tables/test-runs';
import { HttpProblem } from '../problems/problem.ts';

export interface AgentServiceDeps {
  db: Database;
  clock: Clock;
  secretBox: SecretBox;
  creator: CallCreator;
}

/** The author of a change to an agent, and the key that was used. */
export interface AgentEditor {
  holder: KeyHolder;
  fromConsole: boolean;
}

/**
 * Writes agents: validates their templates, seals their secrets and creates a revision for each change of a template.
 */
export class AgentService {
  readonly #deps: AgentServiceDeps;

  constructor(deps: AgentServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the id of the new agent. Throws a CallRefusal if the template cannot be used. */
  async create(editor: AgentEditor, given: AgentChange): Promise<string> {
    const template = given.callTemplate ?? null;
    if (template) await this.#check(editor.holder, template);
    const { accountId } = editor.holder;
    const agentId = newId();
    const createdAt = new Date(this.#deps.clock.wallMs());
    await this.#deps.db.transaction().execute(async (tx) => {
      const { name = '', testsRequired = false } = given;
      const agent = { agentId, accountId, name, testsRequired, createdAt };
      await insertAgent(tx, agent);
      if (template) {
        const times = { templateCreatedAt: createdAt, createdAt };
        const revision = { agentId, name, ...times, template, before: {}, restoredFrom: null };
        await publishRevision(tx, agentId, await this.#insert(tx, editor, revision));
      }
    });
    return agentId;
  }

  /**
   * Returns false if the account has no such agent. Throws a CallRefusal if the template cannot be used, and an
   * HttpProblem if it has to be tested first.
   */
  async change(editor: AgentEditor, agentId: string, to: AgentChange): Promise<boolean> {
    const { db } = this.#deps;
    const { accountId } = editor.holder;
    const template = to.callTemplate;
    const found = await findAgent(db, accountId, agentId);
    if (!found) return false;
    if (template)
      await this.#check(editor.holder, withStoredSecrets(this.#templateOf(accountId, found), template));
    return db.transaction().execute(async (tx) => {
      const row = await lockAgent(tx, accountId, agentId);
      if (!row) return false;
      const { name = row.name, testsRequired: tests_required = row.tests_required } = to;
      await updateAgent(tx, agentId, { name, tests_required });
      if (template === undefined) return true;
      const current = this.#templateOf(accountId, row);
      const next = template && withStoredSecrets(current, template);
      await this.#setTemplate(
        tx,
        editor,
        { ...row, name, tests_required: row.tests_required && tests_required },
        next,
      );
      return true;
    });
  }

  /**
   * Adds an unpublished revision and returns its id; null if the account has no such agent. Throws a CallRefusal if the
   * template cannot be used.
   */
  async createRevision(editor: AgentEditor, agentId: string, template: CallTemplate): Promise<string | null> {
    const { db } = this.#deps;
    const { accountId } = editor.holder;
    const found = await findAgent(db, accountId, agentId);
    if (!found) return null;
    await this.#check(editor.holder, withStoredSecrets(this.#templateOf(accountId, found), template));
    return db.transaction().execute(async (tx) => {
      const row = await lockAgent(tx, accountId, agentId);
      if (!row) return null;
      const next = withStoredSecrets(this.#templateOf(accountId, row), template);
      const revisionId = await this.#addRevision(tx, editor, row, next, null);
      await deleteOldRevisions(tx, agentId);
      return revisionId;
    });
  }

  /**
   * Makes new calls use the revision. Returns false if the account has no such agent. Throws a CallRefusal if the
   * template can no longer be used, and an HttpProblem if required tests have not passed.
   */
  async publish(editor: AgentEditor, agentId: string, revision: AgentRevisionRow): Promise<boolean> {
    await this.#checkStored(editor.holder, revision);
    return this.#deps.db.transaction().execute(async (tx) => {
      const row = await lockAgent(tx, editor.holder.accountId, agentId);
      if (!row) return false;
      if (row.tests_required) await requirePassedTests(tx, editor.holder.accountId, revision);
      await publishRevision(tx, agentId, revision.revision_id);
      return true;
    });
  }

  /**
   * Restores the template of a revision, including its secrets. Returns false if the account has no such agent. Throws
   * a CallRefusal if the template can no longer be used.
   */
  async restore(editor: AgentEditor, agentId: string, revision: AgentRevisionRow): Promise<boolean> {
    const { accountId } = editor.holder;
    const template = await this.#checkStored(editor.holder, revision);
    return this.#deps.db.transaction().execute(async (tx) => {
      const row = await lockAgent(tx, accountId, agentId);
      if (row) await this.#setTemplate(tx, editor, row, template, revision.revision_id);
      return row !== undefined;
    });
  }

  /** Returns the template of a revision. */
  async #checkStored(holder: KeyHolder, revision: AgentRevisionRow): Promise<CallTemplate> {
    const template = openTemplate(this.#deps.secretBox, holder.accountId, revision.template);
    try {
      await this.#check(holder, template);
    } catch (thrown) {
      if (!(thrown instanceof CallRefusal) || thrown.kind !== 'invalid') throw thrown;
      const detail = 'The revision uses something that no longer exists or is no longer allowed.';
      throw new CallRefusal('impossible', 'revision_not_usable', detail, { issues: thrown.issues });
    }
    return template;
  }

  /** Sets the template of the locked agent. Creates no revision if the template stays the same. */
  async #setTemplate(
    tx: Database,
    editor: AgentEditor,
    row: AgentRow,
    next: CallTemplate | null,
    restoredFrom: string | null = null,
  ): Promise<void> {
    const { agent_id: agentId, tests_required: testsRequired } = row;
    if (isDeepStrictEqual(this.#templateOf(editor.holder.accountId, row), next)) return;
    if (next && testsRequired)
      throw testsRequiredProblem('Create a revision with the template, test it, and publish it.');
    const revisionId = next && (await this.#addRevision(tx, editor, row, next, restoredFrom));
    await publishRevision(tx, agentId, revisionId);
  }

  /** Adds a revision of the locked agent and returns its id. */
  async #addRevision(
    tx: Database,
    editor: AgentEditor,
    row: AgentRow,
    template: CallTemplate,
    restoredFrom: string | null,
  ): Promise<string> {
    const { clock, secretBox } = this.#deps;
    const { agent_id: agentId, name } = row;
    const createdAt = new Date(clock.wallMs());
    const latest = row.template ?? (await latestTemplate(tx, agentId)) ?? {};
    return this.#insert(tx, editor, {
      agentId,
      name,
      template,
      before: openTemplate(secretBox, editor.holder.accountId, latest),
      templateCreatedAt: row.template_created_at ?? createdAt,
      createdAt,
      restoredFrom,
    });
  }

  #templateOf(accountId: string, { template }: AgentRow): CallTemplate | null {
    return template && openTemplate(this.#deps.secretBox, accountId, template);
  }

  /** Returns the id of the revision. */
  async #insert(
    tx: Database,
    { holder, fromConsole }: AgentEditor,
    to: Pick<NewAgentRevision, 'template' | 'templateCreatedAt' | 'createdAt' | 'restoredFrom'> & {
      agentId: string;
      name: string;
      /** The template of the previous revision; empty if there is none. */
      before: CallTemplate;
    },
  ): Promise<string> {
    const { agentId, name, template, before, ...times } = to;
    const revisionId = newId();
    await insertRevision(tx, agentId, {
      ...times,
      revisionId,
      template: sealTemplate(this.#deps.secretBox, holder.accountId, template),
      agentName: name,
      keyPrefix: holder.prefix,
      fromConsole,
      changedFields: changedFields(before, template),
    });
    return revisionId;
  }

  async #check(holder: KeyHolder, template: CallTemplate): Promise<void> {
    try {
      await validateTemplate(this.#deps.creator, holder, template);
    } catch (thrown) {
      if (!(thrown instanceof CallRefusal) || thrown.kind !== 'invalid') throw thrown;
      throw invalidCall(withAgentPaths(thrown.issues));
    }
  }
}

async function requirePassedTests(
  tx: Database,
  accountId: string,
  { agent_id, revision_id }: AgentRevisionRow,
): Promise<void> {
  const run = await newestTestRun(tx, agent_id, revision_id);
  if (!run) throw testsRequiredProblem('No test run has tested the revision.');
  if (!run.ended_at) throw testsRequiredProblem(`Test run ${run.test_run_id} has not ended.`);
  const { results } = run;
  const suite = (await findTestSuite(tx, accountId, agent_id)) ?? [];
  const missing = suite.find((scenario) => !results.some(({ name }) => name === scenario.name));
  if (missing)
    throw testsRequiredProblem(
      `Test run ${run.test_run_id} does not have the scenario "${missing.name}" of the test suite.`,
    );
  const passed = results.filter(({ status }) => status === 'passed').length;
  if (passed < results.length)
    throw testsRequiredProblem(
      `${passed} of ${results.length} scenarios passed in test run ${run.test_run_id}.`,
    );
}

function testsRequiredProblem(detail: string): HttpProblem {
  return new HttpProblem(409, 'tests_required', `The agent requires tests. ${detail}`);
}

/** Issues of a template, with paths within its agent. */
export function withAgentPaths(issues: readonly Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({
    path: path === '' ? 'callTemplate' : `callTemplate.${path}`,
    message,
  }));
}

/** A replacement template with the secrets that the old one stores. */
function withStoredSecrets(before: CallTemplate | null, template: CallTemplate): CallTemplate {
  return withSecretsOf(CallTemplate.Request, before, template);
}

/** Names of the top-level fields that differ. */
function changedFields(before: CallTemplate, after: CallTemplate): string[] {
  const fields = Object.keys({ ...before, ...after }) as (keyof CallTemplate)[];
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field])).sort();
}

/** One issue for each id that is not an agent of the account. */
export async function unknownAgentIssues(
  db: Database,
  accountId: string,
  named: readonly { agentId: string; path: string }[],
): Promise<Issue[]> {
  const ids = named.map(({ agentId }) => agentId);
  const known = await agentsAmong(db, accountId, ids);
  return named
    .filter(({ agentId }) => !known.has(agentId.toLowerCase()))
    .map(({ path }) => ({ path, message: 'must be the id of an agent' }));
}
