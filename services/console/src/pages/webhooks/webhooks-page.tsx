import { Page } from '../../components/page.tsx';

export function Component() {
  return <Page title="Webhooks">Being built.</Page>;
}
