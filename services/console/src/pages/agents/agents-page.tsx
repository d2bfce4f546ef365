import { Page } from '../../components/page.tsx';

export function Component() {
  return <Page title="Agents">Being built.</Page>;
}
