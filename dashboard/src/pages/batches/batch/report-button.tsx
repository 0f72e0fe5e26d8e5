import { useServer } from '../../../server/server-provider.js';

/** A browser that opens a URL sends no session key, so the page requests a one-time link. */
export function ReportButton({ id }: { readonly id: string }) {
  const { client } = useServer();
  const open = async () => {
    // Opened during the click; later the browser would block it as a pop-up.
    const tab = window.open('about:blank', '_blank');
    try {
      const { url } = await client.batches.reportLink(id);
      if (tab) tab.location.replace(url);
    } catch {
      // The request itself has already updated the connection state.
      tab?.close();
    }
  };
  return (
    <button type="button" onClick={() => void open()}>
      Report
    </button>
  );
}
