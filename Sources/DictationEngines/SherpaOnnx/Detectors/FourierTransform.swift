import Glibc

/// The discrete Fourier transform of a length with small prime factors.
struct FourierTransform: Sendable {
    private let length: Int
    private let factors: [Int]
    /// The roots of unity.
    private let cosines: [Double]
    private let sines: [Double]

    init(length: Int) {
        self.length = length
        var (rest, factors): (Int, [Int]) = (length, [])
        for factor in 2...max(2, length) {
            while rest % factor == 0, rest > 1 {
                factors.append(factor)
                rest /= factor
            }
        }
        self.factors = factors
        cosines = (0..<length).map { cos(2 * Double.pi * Double($0) / Double(length)) }
        sines = (0..<length).map { -sin(2 * Double.pi * Double($0) / Double(length)) }
    }

    /// Transforms complex numbers in place.
    func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
        guard real.count == length, imaginary.count == length else { return }
        var (newReal, newImaginary) = (real, imaginary)
        // Stockham's order: each step combines `done` numbers of `factor` transforms, and sorts them on the way.
        var done = 1
        for factor in factors {
            let groups = length / (done * factor)
            for group in 0..<groups {
                for place in 0..<done {
                    for output in 0..<factor {
                        var (sumReal, sumImaginary) = (0.0, 0.0)
                        for input in 0..<factor {
                            let from = (group + input * groups) * done + place
                            let turn = input * (place + output * done) * groups % length
                            sumReal += real[from] * cosines[turn] - imaginary[from] * sines[turn]
                            sumImaginary += real[from] * sines[turn] + imaginary[from] * cosines[turn]
                        }
                        let to = group * done * factor + output * done + place
                        (newReal[to], newImaginary[to]) = (sumReal, sumImaginary)
                    }
                }
            }
            swap(&real, &newReal)
            swap(&imaginary, &newImaginary)
            done *= factor
        }
    }
}
