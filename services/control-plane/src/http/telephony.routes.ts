import type { AnyOperation } from '@calls/api-contract/operations/operation';
import {
  getAccountTelephonyConfig,
  telephonyConfigOperations,
  updateAccountTelephonyConfig,
} from '@calls/api-contract/operations/telephony.operations';
import type { TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { TelephonyConfigService, type TelephonyConfigBody } from '../telephony/telephony-config-service.ts';
import type { ApiRouter } from './api-router.ts';

type ConfigOperations = Record<'get' | 'create' | 'update' | 'delete', AnyOperation>;

export function telephonyRoutes(api: ApiRouter, deps: { db: Database; secretBox: SecretBox }): void {
  const configs = new TelephonyConfigService(deps);
  api
    .on(getAccountTelephonyConfig, ({ accountId }) => configs.all(accountId))
    .on(updateAccountTelephonyConfig, ({ accountId, body }) => configs.changeAll(accountId, body));
  for (const [name, operations] of Object.entries<ConfigOperations>(telephonyConfigOperations)) {
    const provider = name as TelephonyProvider;
    api
      .on(operations.get, ({ accountId }) => configs.get(accountId, provider))
      .on(operations.create, ({ accountId, body }) =>
        configs.create(accountId, provider, body as TelephonyConfigBody),
      )
      .on(operations.update, ({ accountId, body }) =>
        configs.change(accountId, provider, body as TelephonyConfigBody),
      )
      .on(operations.delete, ({ accountId }) => configs.delete(accountId, provider));
  }
}
