// A burst of confetti over the board; still for those who want no motion.

const COLORS = ["#d7136c", "#f2549c", "#f5f0e8", "#8e0c48", "#7dff9b"];
const PIECES = 260;
const SECONDS = 4.5;

export function celebrate(board) {
  board.dataset.effect = "confetti";
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  board.querySelector(".confetti")?.remove();
  const canvas = document.createElement("canvas");
  canvas.className = "confetti";
  board.append(canvas);
  const { width, height } = board.getBoundingClientRect();
  const scale = Math.min(devicePixelRatio || 1, 2);
  canvas.width = width * scale;
  canvas.height = height * scale;
  const brush = canvas.getContext("2d");
  brush.scale(scale, scale);
  const plate = board.querySelector(".root").getBoundingClientRect();
  const frame = board.getBoundingClientRect();
  const from = [plate.left - frame.left + plate.width / 2, plate.top - frame.top + plate.height / 2];
  const pieces = Array.from({ length: PIECES }, () => piece(from, Math.hypot(width, height)));
  let last = performance.now();
  const start = last;

  requestAnimationFrame(function step(now) {
    const passed = Math.min((now - last) / 1000, 0.05);
    const age = (now - start) / 1000;
    last = now;
    brush.clearRect(0, 0, width, height);
    brush.globalAlpha = Math.max(0, Math.min(1, SECONDS - age));
    for (const one of pieces) {
      if (age < one.born) continue;
      one.speed = [one.speed[0] * (1 - passed), one.speed[1] + height * 0.55 * passed];
      one.at = [one.at[0] + one.speed[0] * passed, one.at[1] + one.speed[1] * passed];
      one.turn += one.spin * passed;
      draw(brush, one);
    }
    if (age < SECONDS && canvas.isConnected) requestAnimationFrame(step);
    else canvas.remove();
  });
}

function piece(from, reach) {
  const angle = -Math.PI / 2 + (Math.random() - 0.5) * 2.4;
  const speed = reach * (0.35 + Math.random() * 0.75);
  return {
    at: [...from],
    speed: [Math.cos(angle) * speed, Math.sin(angle) * speed],
    born: Math.random() * 1.2,
    turn: Math.random() * 6.3,
    spin: (Math.random() - 0.5) * 14,
    size: 5 + Math.random() * reach * 0.009,
    corners: Math.random() < 0.4 ? 3 : 4,
    color: COLORS[Math.floor(Math.random() * COLORS.length)],
  };
}

function draw(brush, one) {
  brush.save();
  brush.translate(one.at[0], one.at[1]);
  brush.rotate(one.turn);
  brush.scale(1, Math.cos(one.turn * 1.7));
  brush.fillStyle = one.color;
  brush.beginPath();
  for (let i = 0; i < one.corners; i++) {
    const angle = (i / one.corners) * 2 * Math.PI;
    brush.lineTo(Math.cos(angle) * one.size, Math.sin(angle) * one.size);
  }
  brush.fill();
  brush.restore();
}
