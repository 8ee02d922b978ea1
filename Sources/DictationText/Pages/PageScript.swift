extension Page {
    /// The hash of ``script``; a test says the new one after a change.
    static let scriptHash = "sha256-F8w6EpgXUaE8i+I4C4IEfJme6JBSx9sSDS4c0qnNPXo="

    /// What a page does: plays from a word, shows the word that is being said, searches, and obeys keys.
    static let script = #"""

        "use strict";
        {
          /** The words of a recording and its player. */
          class Recording {
            constructor(section) {
              this.audio = section.querySelector("audio");
              this.words = Array.from(section.querySelectorAll("[data-t]"), element => {
                const [start, end] = element.dataset.t.split(" ").map(Number);
                return { element, start, end };
              }).sort((one, other) => one.start - other.start);
              // While two people speak, a long word goes on after a short one: the latest end so far.
              let latest = 0;
              for (const word of this.words) word.latest = latest = Math.max(latest, word.end);
              this.current = null;
              if (this.audio) this.listen(section);
            }

            listen(section) {
              const audio = this.audio;
              section.classList.add("playable");
              const follow = () => {
                this.show();
                cancelAnimationFrame(this.frame);
                if (!audio.paused) this.frame = requestAnimationFrame(follow);
              };
              audio.addEventListener("play", () => {
                for (const other of recordings) if (other !== this) other.audio?.pause();
                active = this;
                follow();
              });
              // An animation frame never comes while the page is hidden.
              for (const event of ["seeking", "timeupdate"]) audio.addEventListener(event, () => this.show());
              const problem = section.querySelector(".problem");
              const complain = () => { problem.hidden = false; };
              audio.addEventListener("error", complain);
              if (audio.error) complain();
            }

            /** The index of the last word that has begun at a time, or -1. */
            index(time) {
              let [low, high] = [0, this.words.length];
              while (low < high) {
                const middle = (low + high) >> 1;
                if (this.words[middle].start <= time) low = middle + 1; else high = middle;
              }
              return low - 1;
            }

            /** The word that is being said at a time. */
            word(time) {
              let index = this.index(time);
              while (index >= 0 && this.words[index].end <= time && this.words[index].latest > time) index--;
              return index >= 0 && this.words[index].end > time ? this.words[index].element : null;
            }

            /** Shows the word that is being said, and keeps it in sight unless the reader looks elsewhere. */
            show() {
              const word = this.word(this.audio.currentTime);
              if (word === this.current) return;
              const isWatched = !this.last || isInSight(this.last);
              this.current?.removeAttribute("aria-current");
              word?.setAttribute("aria-current", "true");
              this.current = word;
              if (!word) return;
              this.last = word;
              if (isWatched && !isInSight(word)) reveal(word);
            }

            seek(time) {
              active = this;
              this.audio.currentTime = Math.max(0, time);
              this.show();
            }

            play(time) {
              this.seek(time);
              this.audio.play().catch(() => {});
            }

            /** Goes to the previous or the next word. */
            step(by) {
              const index = this.index(this.audio.currentTime) + by;
              const word = this.words[Math.min(Math.max(index, 0), this.words.length - 1)];
              if (word) this.seek(word.start);
            }
          }

          /** Matches of the text that the reader looks for. */
          class Search {
            constructor(field, output) {
              [this.field, this.output, this.matches, this.index] = [field, output, [], -1];
              field.addEventListener("input", () => this.find());
              field.addEventListener("keydown", event => this.press(event));
            }

            /** The text of all words without case and accents, and where each word starts in it. */
            read() {
              this.text = "";
              this.starts = [];
              this.elements = Array.from(document.querySelectorAll("[data-t]"));
              for (const element of this.elements) {
                this.starts.push(this.text.length);
                const next = element.nextSibling;
                this.text += plain(element.textContent) + plain(next ? next.data ?? "" : "\n");
              }
            }

            find() {
              if (!this.elements) this.read();
              for (const match of this.matches) for (const word of match) word.classList.remove("found", "here");
              [this.matches, this.index] = [[], -1];
              const wanted = plain(this.field.value).trim();
              for (let at = -1; wanted && (at = this.text.indexOf(wanted, at + 1)) >= 0; at += wanted.length - 1)
                this.matches.push(this.words(at, at + wanted.length));
              for (const match of this.matches) for (const word of match) word.classList.add("found");
              if (this.matches.length) reveal(this.matches[0][0]);
              this.output.value = !wanted ? "" : this.matches.length ? `${this.matches.length} found` : "Not found";
            }

            words(from, to) {
              let [low, high] = [0, this.starts.length];
              while (low < high) {
                const middle = (low + high) >> 1;
                if (this.starts[middle] <= from) low = middle + 1; else high = middle;
              }
              let end = low;
              while (end < this.starts.length && this.starts[end] < to) end++;
              return this.elements.slice(low - 1, end);
            }

            /** Goes to another match, in the recording too. */
            go(by) {
              const count = this.matches.length;
              if (!count) return;
              this.matches[this.index]?.forEach(word => word.classList.remove("here"));
              this.index = this.index < 0 && by < 0 ? count - 1 : (this.index + by + count) % count;
              const match = this.matches[this.index];
              for (const word of match) word.classList.add("here");
              this.output.value = `${this.index + 1} of ${count}`;
              const recording = of(match[0]);
              if (recording.audio) recording.seek(start(match[0]));
              reveal(match[0]);
            }

            press(event) {
              if (event.key === "Enter") this.go(event.shiftKey ? -1 : 1);
              else if (event.key === "Escape") {
                this.field.value = "";
                this.find();
                this.field.blur();
              } else return;
              event.preventDefault();
            }
          }

          const plain = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ");
          const start = word => parseFloat(word.dataset.t);
          const of = element => recordings[sections.indexOf(element.closest("section"))];
          const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
          const reveal = element =>
            element.scrollIntoView({ block: "center", behavior: isCalm.matches ? "auto" : "smooth" });
          const isInSight = element => {
            const { top, bottom } = element.getBoundingClientRect();
            return bottom > 0 && top < innerHeight;
          };

          const sections = Array.from(document.querySelectorAll("section"));
          const recordings = [];
          for (const section of sections) recordings.push(new Recording(section));
          let active = recordings.find(recording => recording.audio);
          const field = document.getElementById("search");
          new Search(field, document.getElementById("found"));
          document.querySelector(".tools").hidden = false;

          document.addEventListener("click", event => {
            const target = event.target.closest("[data-t], a.time");
            const recording = target && of(target);
            if (!recording?.audio) return;
            if (target.matches("a")) recording.play(Number(target.hash.split("-")[1]));
            // A reader who selects text does not want to hear it.
            else if (getSelection().isCollapsed) recording.play(start(target));
          });

          document.addEventListener("keydown", event => {
            if (event.ctrlKey || event.altKey || event.metaKey || event.target === field) return;
            const audio = active?.audio;
            if (event.key === "/") {
              field.focus();
              field.select();
              // The player and the summary have keys of their own.
            } else if (!audio || event.target.closest("audio, summary")) return;
            else if (event.key === " ") {
              if (audio.paused) active.play(audio.currentTime); else audio.pause();
            } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
              const by = event.key === "ArrowLeft" ? -1 : 1;
              if (event.shiftKey) active.step(by); else active.seek(audio.currentTime + 5 * by);
            } else return;
            event.preventDefault();
          });

          // An address with a time, as the links in the text have it.
          const [id, time] = location.hash.slice(1).split("-");
          const wanted = recordings[sections.findIndex(section => section.id === id)];
          if (wanted?.audio && time >= 0) wanted.seek(Number(time));
        }

        """#
}
