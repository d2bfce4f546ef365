import {
  createWebhook,
  deleteWebhook as deleteOperation,
  getWebhook,
  listWebhooks,
  replaceWebhook,
  updateWebhook as updateOperation,
} from '@calls/api-contract/operations/webhooks.operations';
import type { Webhook } from '@calls/api-contract/rest/webhook';
import { urlRefusal, type UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import type { Clock } from '@calls/foundation/clock';
import { newId, newSigningSecret } from '@calls/foundation/ids';
import type { Issue } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import { findAgent } from '@calls/store/tables/agents';
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  updateWebhook,
  webhooksOf,
  type WebhookChange,
  type WebhookRow,
} from '@calls/store/tables/webhooks';
import { invalidRequest, orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';

export interface WebhookRoutesDeps {
  db: Database;
  secretBox: SecretBox;
  outbound: UrlGuard;
  clock: Clock;
}

export function webhookRoutes(api: ApiRouter, deps: WebhookRoutesDeps): void {
  const { db, secretBox, outbound, clock } = deps;
  const sealed = (accountId: string, secrets: readonly string[]): string[] =>
    secrets.map((secret) => secretBox.seal(secret, webhookSecretContext(accountId)));

  /** `knownAgentId`: the agent of the stored webhook, which may have been deleted. */
  const assertUsable = async (
    accountId: string,
    { agentId, url }: WebhookChange,
    knownAgentId: string | null,
  ): Promise<void> => {
    const issues: Issue[] = [];
    if (agentId != null && agentId !== knownAgentId && !(await findAgent(db, accountId, agentId))) {
      issues.push({ path: 'agentId', message: 'must be the id of an agent' });
    }
    const refusal = url === undefined ? null : urlRefusal(outbound, url);
    if (refusal !== null) issues.push({ path: 'url', message: refusal });
    if (issues.length > 0) throw invalidRequest('request body', issues);
  };
  const change = async (
    accountId: string,
    webhookId: string,
    { secrets, ...to }: WebhookChange,
  ): Promise<Webhook> => {
    const { agent_id } = orNotFound('webhook', await findWebhook(db, accountId, webhookId));
    await assertUsable(accountId, to, agent_id);
    const row = await updateWebhook(db, accountId, webhookId, {
      ...to,
      ...(secrets && { secrets: sealed(accountId, secrets) }),
    });
    return webhookView(orNotFound('webhook', row));
  };

  api
    .list(listWebhooks, ({ accountId, query }) => {
      const agentId = query.agentId === 'null' ? null : query.agentId;
      return { source: webhooksOf(db, accountId, agentId), item: webhookView };
    })
    .on(createWebhook, async ({ accountId, body }) => {
      const { agentId = null, url, events, secrets } = body;
      const made = secrets ? null : [newSigningSecret()];
      await assertUsable(accountId, body, null);
      const row = await insertWebhook(db, {
        webhookId: newId(),
        accountId,
        agentId,
        url,
        events,
        secrets: sealed(accountId, secrets ?? made ?? []),
        createdAt: new Date(clock.wallMs()),
      });
      return { ...webhookView(row), ...(made && { secrets: made }) };
    })
    .on(getWebhook, async ({ accountId, params }) =>
      webhookView(orNotFound('webhook', await findWebhook(db, accountId, params.webhook_id))),
    )
    .on(replaceWebhook, ({ accountId, params, body }) =>
      change(accountId, params.webhook_id, { agentId: null, ...body }),
    )
    .on(updateOperation, ({ accountId, params, body }) => change(accountId, params.webhook_id, body))
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('webhook', await deleteWebhook(db, accountId, params.webhook_id));
    });
}

function webhookView(row: WebhookRow): Webhook {
  return {
    webhookId: row.webhook_id,
    agentId: row.agent_id,
    created: row.created_at.toISOString(),
    url: row.url,
    events: row.events,
    status: row.status,
    lastStatusChange: row.last_status_change?.toISOString() ?? null,
    recentFailures: row.recent_failures,
  };
}
