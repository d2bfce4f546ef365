import {
  createWebhook,
  deleteWebhook as deleteOperation,
  getWebhook,
  listWebhooks,
  replaceWebhook,
  updateWebhook as updateOperation,
  type Webhook,
} from '@calls/api-contract';
import { newId, randomAlphanumeric, type Clock } from '@calls/foundation';
import { webhookSecretContext, type SecretBox } from '@calls/secret-box';
import {
  deleteWebhook,
  findAgent,
  findWebhook,
  insertWebhook,
  updateWebhook,
  webhooksOf,
  type Database,
  type WebhookChange,
  type WebhookRow,
} from '@calls/store';
import { webhookView } from '../webhooks/webhook-view.ts';
import type { ApiRouter } from './api-router.ts';
import { invalidRequest, orNotFound } from './problem.ts';

const MADE_UP_SECRET_LENGTH = 32;

export interface WebhookRoutesParts {
  db: Database;
  secretBox: SecretBox;
  clock: Clock;
}

export function webhookRoutes(api: ApiRouter, { db, secretBox, clock }: WebhookRoutesParts): void {
  const view = (row: WebhookRow): Webhook => webhookView(row, secretBox);
  const sealed = (accountId: string, secrets: readonly string[]): string[] =>
    secrets.map((secret) => secretBox.seal(secret, webhookSecretContext(accountId)));

  const requireAgent = async (accountId: string, agentId: string | null | undefined): Promise<void> => {
    if (agentId == null || (await findAgent(db, accountId, agentId))) return;
    throw invalidRequest('request body', [{ path: 'agentId', message: 'must be the id of an agent' }]);
  };
  const change = async (
    accountId: string,
    webhookId: string,
    { secrets, ...to }: WebhookChange,
  ): Promise<Webhook> => {
    await requireAgent(accountId, to.agentId);
    const row = await updateWebhook(db, accountId, webhookId, {
      ...to,
      ...(secrets && { secrets: sealed(accountId, secrets) }),
    });
    return view(orNotFound('webhook', row));
  };

  api
    .list(listWebhooks, ({ accountId, query }) => {
      const agentId = query.agentId === 'null' ? null : query.agentId;
      return { source: webhooksOf(db, accountId, agentId), item: view };
    })
    .on(createWebhook, async ({ accountId, body }) => {
      const { agentId = null, url, events, secrets = [randomAlphanumeric(MADE_UP_SECRET_LENGTH)] } = body;
      await requireAgent(accountId, agentId);
      const row = await insertWebhook(db, {
        webhookId: newId(),
        accountId,
        agentId,
        url,
        events,
        secrets: sealed(accountId, secrets),
        createdAt: new Date(clock.wallMs()),
      });
      return view(row);
    })
    .on(getWebhook, async ({ accountId, params }) =>
      view(orNotFound('webhook', await findWebhook(db, accountId, params.webhook_id))),
    )
    .on(replaceWebhook, ({ accountId, params, body }) =>
      change(accountId, params.webhook_id, { agentId: null, ...body }),
    )
    .on(updateOperation, ({ accountId, params, body }) => change(accountId, params.webhook_id, body))
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('webhook', await deleteWebhook(db, accountId, params.webhook_id));
    });
}
