import type { CallTemplate, CallTemplateAnswer, SelectedTool } from '@calls/api-contract';
import { omit } from '@calls/foundation';
import { agentSecretsContext, openPaths, sealPaths, type SecretBox } from '@calls/secret-box';
import { SETTINGS_SECRETS } from '../secrets.ts';

/** As it is stored. */
export function sealTemplate(box: SecretBox, accountId: string, template: CallTemplate): CallTemplate {
  const context = agentSecretsContext(accountId);
  return sealPaths(template, SETTINGS_SECRETS, (plain) => box.seal(plain, context));
}

/** The way back from `sealTemplate`. */
export function openTemplate(box: SecretBox, accountId: string, template: CallTemplate): CallTemplate {
  const context = agentSecretsContext(accountId);
  return openPaths(template, SETTINGS_SECRETS, (sealed) => box.open(sealed, context));
}

/** Without what is never answered: shared secrets, authentication tokens of tools, the password of an outgoing SIP call. */
export function withoutSecrets(template: CallTemplate): Omit<CallTemplateAnswer, 'created' | 'updated'> {
  const { selectedTools, medium } = template;
  return {
    ...omit(template, 'sharedSecrets'),
    ...(selectedTools && { selectedTools: selectedTools.map((tool) => omit(tool, 'authTokens')) }),
    ...(medium && { medium: withPassword(medium, undefined) }),
  };
}

/**
 * A template that replaces another, with the secrets of the other where it leaves them out: a client that sends back what it
 * was answered loses none. `[]` and `{}` clear them. A tool keeps its tokens while it stays the same tool: by id, by name,
 * or a temporary one of the same name at the same URL.
 */
export function withSecretsOf(before: CallTemplate, template: CallTemplate): CallTemplate {
  const { sharedSecrets = before.sharedSecrets, selectedTools, medium } = template;
  const outgoing = before.medium?.sip?.outgoing;
  const isSameLine =
    outgoing?.to === medium?.sip?.outgoing?.to && outgoing?.username === medium?.sip?.outgoing?.username;
  return {
    ...template,
    ...(sharedSecrets && { sharedSecrets }),
    ...(selectedTools && { selectedTools: withTokensOf(before.selectedTools ?? [], selectedTools) }),
    ...(medium && isSameLine && medium.sip?.outgoing?.password === undefined
      ? { medium: withPassword(medium, outgoing?.password) }
      : {}),
  };
}

function withTokensOf(before: readonly SelectedTool[], tools: readonly SelectedTool[]): SelectedTool[] {
  const known = new Map(before.map((tool) => [identity(tool), tool.authTokens]));
  return tools.map((tool) => {
    const authTokens = tool.authTokens ?? known.get(identity(tool));
    return authTokens ? { ...tool, authTokens } : tool;
  });
}

function identity({ toolId, toolName, temporaryTool, nameOverride }: SelectedTool): string {
  const { modelToolName, http } = temporaryTool ?? {};
  return JSON.stringify([toolId, toolName, modelToolName, http?.baseUrlPattern, nameOverride]);
}

type Medium = NonNullable<CallTemplate['medium']>;

function withPassword(medium: Medium, password: string | undefined): Medium {
  const outgoing = medium.sip?.outgoing;
  if (!outgoing) return medium;
  return {
    sip: { outgoing: { ...omit(outgoing, 'password'), ...(password !== undefined && { password }) } },
  };
}
