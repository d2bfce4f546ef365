import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import { omit } from '@calls/foundation/omit';
import type { CallCreator } from './call-creator.ts';
import type { CreateCallRequest } from './create-call-request.ts';
import { invalidCall } from './refusal.ts';
import { isTemplated, templateIssues } from './templates/template-issues.ts';

/**
 * Throws a CallRefusal if the account cannot create calls from the template: it has issues (with paths in the template) or needs a
 * feature that the account does not have. Rules that depend on the context are checked for each call.
 */
export async function validateTemplate(
  calls: CallCreator,
  account: CreateCallRequest['account'],
  template: CallTemplate,
): Promise<void> {
  const issues = await templateIssues(template, calls.checksOf(account.accountId));
  if (issues.length > 0) throw invalidCall(issues);
  const { languageHint = '' } = template;
  const untold = isTemplated(languageHint) ? ['languageHint' as const] : [];
  const request = omit(template, 'name', 'contextSchema', ...untold);
  await calls.check({ account, body: request, greetingPromptEnabled: true, isTemplate: true });
}
