/** Minimum milliseconds between two renderings of an answer that is being generated. */
const MIN_INTERVAL = 60;

/** Renders at most once per frame and per MIN_INTERVAL. */
export function createRenderScheduler(draw: () => void, signal: AbortSignal) {
  let isDue = false;
  let isOver = false;
  let last = 0;
  const paint = () => {
    isDue = false;
    if (isOver || signal.aborted) return;
    last = performance.now();
    draw();
  };
  return {
    ask(): void {
      if (isDue) return;
      isDue = true;
      const wait = Math.max(0, last + MIN_INTERVAL - performance.now());
      // Background tabs get no animation frames.
      setTimeout(() => (document.hidden ? paint() : requestAnimationFrame(paint)), wait);
    },
    stop(): void {
      isOver = true;
    },
  };
}
