import {
  telephonyConfigs,
  type AccountTelephonyConfig,
  type PatchedAccountTelephonyConfig,
} from '@calls/api-contract/rest/telephony-config';
import { secretPaths } from '@calls/api-contract/secrets';
import { TELEPHONY_PROVIDERS, type TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';
import { prefixOfSecret, type SecretBox } from '@calls/secrets/secret-box/secret-box';
import { telephonySecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import {
  deleteTelephonyConfig,
  findTelephonyConfig,
  insertTelephonyConfig,
  telephonyConfigsOf,
  updateTelephonyConfig,
  type TelephonyConfigChange,
  type TelephonyConfigRow,
} from '@calls/store/tables/telephony-configs';
import { unknownAgentIssues } from '../agents/agent-service.ts';
import { invalidRequest, orConflict, orNotFound } from '../problems/problem.ts';

/** The required fields of a provider: secrets, as marked in the schema, and identifiers. */
function fieldsOf(provider: TelephonyProvider): { identifiers: string[]; secrets: string[] } {
  const schema = telephonyConfigs[provider].Request;
  const secrets = secretPaths(schema);
  const { required = [] } = schema as { required?: readonly string[] };
  return { identifiers: required.filter((field) => !secrets.includes(field)), secrets };
}

export type TelephonyConfigView = NonNullable<AccountTelephonyConfig[TelephonyProvider]>;
/** The fields of a request. */
export type TelephonyConfigBody = NonNullable<PatchedAccountTelephonyConfig[TelephonyProvider]>;

/** The opened secrets of the row, by their names in the API. */
export function openTelephonySecrets(row: TelephonyConfigRow, secretBox: SecretBox): Record<string, string> {
  const context = telephonySecretsContext(row.account_id);
  return Object.fromEntries(
    Object.entries(row.secrets).map(([name, { sealed }]) => [name, secretBox.open(sealed, context)]),
  );
}

function viewOf(row: TelephonyConfigRow): TelephonyConfigView {
  const prefixes = Object.entries(row.secrets).map(([name, { prefix }]) => [`${name}Prefix`, { prefix }]);
  return {
    ...row.identifiers,
    ...Object.fromEntries(prefixes),
    callCreationAllowedAgentIds: row.allowed_agent_ids,
    callCreationAllowAllAgents: row.allow_all_agents,
    requestContextMapping: row.request_context_mapping,
  } as TelephonyConfigView;
}

/** Configurations of telephony providers: at most one per account and provider. */
export class TelephonyConfigService {
  readonly #db: Database;
  readonly #secretBox: SecretBox;

  constructor(deps: { db: Database; secretBox: SecretBox }) {
    this.#db = deps.db;
    this.#secretBox = deps.secretBox;
  }

  async all(accountId: string): Promise<AccountTelephonyConfig> {
    const rows = await telephonyConfigsOf(this.#db, accountId);
    return Object.fromEntries(rows.map((row) => [row.provider, viewOf(row)]));
  }

  async get(accountId: string, provider: TelephonyProvider): Promise<TelephonyConfigView> {
    return viewOf(orNotFound('configuration', await findTelephonyConfig(this.#db, accountId, provider)));
  }

  /** `body` has every field that the provider requires. */
  async create(
    accountId: string,
    provider: TelephonyProvider,
    body: TelephonyConfigBody,
  ): Promise<TelephonyConfigView> {
    await this.#requireAgents(accountId, body, '');
    await this.#insert(this.#db, accountId, provider, this.#given(accountId, provider, body));
    return this.get(accountId, provider);
  }

  async change(
    accountId: string,
    provider: TelephonyProvider,
    body: TelephonyConfigBody,
  ): Promise<TelephonyConfigView> {
    await this.#requireAgents(accountId, body, '');
    const change = this.#given(accountId, provider, body);
    orNotFound('configuration', await updateTelephonyConfig(this.#db, accountId, provider, change));
    return this.get(accountId, provider);
  }

  async delete(accountId: string, provider: TelephonyProvider): Promise<void> {
    orNotFound('configuration', await deleteTelephonyConfig(this.#db, accountId, provider));
  }

  /** Applies all changes or none. */
  async changeAll(accountId: string, body: PatchedAccountTelephonyConfig): Promise<AccountTelephonyConfig> {
    for (const provider of TELEPHONY_PROVIDERS) {
      await this.#requireAgents(accountId, body[provider] ?? {}, `${provider}.`);
    }
    await this.#db.transaction().execute(async (tx) => {
      for (const provider of TELEPHONY_PROVIDERS) {
        const to = body[provider];
        if (to === null) await deleteTelephonyConfig(tx, accountId, provider);
        else if (to) await this.#put(tx, accountId, provider, to);
      }
    });
    return this.all(accountId);
  }

  async #put(
    tx: Database,
    accountId: string,
    provider: TelephonyProvider,
    body: TelephonyConfigBody,
  ): Promise<void> {
    const given = this.#given(accountId, provider, body);
    if (await updateTelephonyConfig(tx, accountId, provider, given)) return;
    const { identifiers, secrets } = fieldsOf(provider);
    const missing = [...identifiers, ...secrets].filter((field) => !Object.hasOwn(body, field));
    if (missing.length > 0) {
      const issues = missing.map((field) => ({ path: `${provider}.${field}`, message: 'is required' }));
      throw invalidRequest('request body', issues);
    }
    await this.#insert(tx, accountId, provider, given);
  }

  #insert(
    db: Database,
    accountId: string,
    provider: TelephonyProvider,
    given: TelephonyConfigChange,
  ): Promise<void> {
    const none = {
      identifiers: {},
      secrets: {},
      allowedAgentIds: [],
      allowAllAgents: false,
      requestContextMapping: {},
    };
    return orConflict(
      `The account already has a configuration of ${provider}.`,
      insertTelephonyConfig(db, { ...none, ...given, accountId, provider }),
    );
  }

  #given(accountId: string, provider: TelephonyProvider, body: TelephonyConfigBody): TelephonyConfigChange {
    const { callCreationAllowedAgentIds, callCreationAllowAllAgents, requestContextMapping } = body;
    const { identifiers, secrets } = fieldsOf(provider);
    const fields = body as Record<string, unknown>;
    const named = (names: readonly string[]): [string, string][] =>
      names.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : []));
    const stored = (secret: string) => ({
      prefix: prefixOfSecret(secret),
      sealed: this.#secretBox.seal(secret, telephonySecretsContext(accountId)),
    });
    return {
      identifiers: Object.fromEntries(named(identifiers)),
      secrets: Object.fromEntries(named(secrets).map(([name, secret]) => [name, stored(secret)])),
      ...(callCreationAllowedAgentIds && {
        allowedAgentIds: [...new Set(callCreationAllowedAgentIds.map((id) => id.toLowerCase()))],
      }),
      ...(callCreationAllowAllAgents !== undefined && { allowAllAgents: callCreationAllowAllAgents }),
      ...(requestContextMapping && { requestContextMapping }),
    };
  }

  async #requireAgents(accountId: string, body: TelephonyConfigBody, path: string): Promise<void> {
    const ids = body.callCreationAllowedAgentIds ?? [];
    const issues = await unknownAgentIssues(
      this.#db,
      accountId,
      ids.map((agentId, i) => ({ agentId, path: `${path}callCreationAllowedAgentIds.${i}` })),
    );
    if (issues.length > 0) throw invalidRequest('request body', issues);
  }
}
