// A list of any length in which only the visible rows exist. Rows have one of two heights. If the list would be higher
// than browsers allow, its scroll position is scaled.

const highest = 8_000_000; // pixels
const margin = 6; // rows beyond the visible ones

export class VirtualList {
  /**
   * @param {HTMLElement} viewport  the scrolling element
   * @param {(index: number) => HTMLElement} render
   * @param {number} [covered]  pixels of the viewport that a fixed head covers
   */
  constructor(viewport, render, covered = 0) {
    this.viewport = viewport;
    this.covered = covered;
    this.render = render;
    this.canvas = document.createElement("div");
    this.canvas.className = "canvas";
    this.canvas.setAttribute("role", "presentation");
    this.viewport.append(this.canvas);
    this.length = 0;
    this.total = 0;
    this.rowHeight = 1;
    /** @type {Float64Array | null} offset of each row, if heights differ */
    this.tops = null;
    /** @type {Map<number, HTMLElement>} */
    this.rows = new Map();
    this.pending = 0;
    this.viewport.addEventListener("scroll", () => this.schedule(), { passive: true });
    this.observer = new ResizeObserver(() => this.schedule());
    this.observer.observe(this.viewport);
  }

  /**
   * @param {number} length
   * @param {number} rowHeight
   * @param {(index: number) => number} [heightOf]
   */
  reset(length, rowHeight, heightOf) {
    this.length = length;
    this.rowHeight = rowHeight;
    this.tops = null;
    if (heightOf) {
      this.tops = new Float64Array(length + 1);
      for (let i = 0; i < length; ++i) this.tops[i + 1] = this.tops[i] + heightOf(i);
    }
    this.total = this.top(length);
    this.canvas.style.height = `${Math.min(this.total, highest)}px`;
    this.viewport.scrollTop = 0;
    this.refresh();
  }

  /** @param {number} index */
  top(index) {
    return this.tops ? this.tops[index] : index * this.rowHeight;
  }

  /** The height of the area in which rows are visible. */
  seen() {
    return this.viewport.clientHeight - this.covered;
  }

  /** The number of list pixels per pixel of scrolling. */
  ratio() {
    const seen = this.seen();
    return this.total <= highest ? 1 : (this.total - seen) / (highest - seen);
  }

  /** @param {number} offset */
  indexAt(offset) {
    if (!this.tops) return Math.min(this.length - 1, Math.max(0, Math.floor(offset / this.rowHeight)));
    let low = 0, high = this.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * Scrolls the minimum distance that makes the row visible.
   * @param {number} index
   */
  show(index) {
    const begin = this.top(index), end = this.top(index + 1), seen = this.seen();
    const ratio = this.ratio();
    const from = this.viewport.scrollTop * ratio;
    if (begin < from) this.viewport.scrollTop = begin / ratio;
    else if (end > from + seen) this.viewport.scrollTop = (end - seen) / ratio;
    this.update();
  }

  schedule() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.update();
    });
  }

  /** Renders all visible rows again. */
  refresh() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.update();
  }

  update() {
    if (this.length === 0) return;
    const scrolled = this.viewport.scrollTop;
    const from = scrolled * this.ratio();
    const first = Math.max(0, this.indexAt(from) - margin);
    const last = Math.min(this.length - 1, this.indexAt(from + this.seen()) + margin);
    for (const [index, row] of this.rows) {
      if (index >= first && index <= last) continue;
      row.remove();
      this.rows.delete(index);
    }
    for (let index = first; index <= last; ++index) {
      let row = this.rows.get(index);
      if (!row) {
        row = this.render(index);
        this.rows.set(index, row);
        this.canvas.append(row);
      }
      row.style.transform = `translateY(${this.top(index) - from + scrolled}px)`;
    }
  }

  close() {
    this.observer.disconnect();
    cancelAnimationFrame(this.pending);
  }
}
