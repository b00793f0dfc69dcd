/** Messages between the tabs of this browser. */
export interface Tabs {
  /** Tells the other tabs. */
  tell(message: string): void;
  /** Calls the listener with each message of another tab; returns a function that ends it. */
  hear(listener: (message: string) => void): () => void;
}

/** A channel to the other tabs; without effect where the browser blocks it together with cookies and storage. */
export function openTabs(name: string): Tabs {
  let channel: BroadcastChannel | undefined;
  try {
    channel = new BroadcastChannel(name);
  } catch {
    // Each tab then learns of changes when it next asks the server.
  }
  return {
    tell: (message) => channel?.postMessage(message),
    hear(listener) {
      const onMessage = ({ data }: MessageEvent<unknown>): void => listener(String(data));
      channel?.addEventListener('message', onMessage);
      return () => channel?.removeEventListener('message', onMessage);
    },
  };
}
