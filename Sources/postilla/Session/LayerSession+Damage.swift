import Instant
import InstantCore

extension LayerSession {
    /// Runs the part of a command that reads the layer. What is damaged is left out; it is named at the end, and the
    /// command fails.
    func reading<T>(_ body: () async throws -> T) async throws -> T {
        do {
            let result = try await body()
            guard let problem = damage else { return result }
            throw CommandFailure(problem)
        } catch let failure as CommandFailure {
            throw failure
        } catch { throw CommandFailure(reading: error) }
    }

    /// Returns the failure of a command that found no record with an id.
    func noRecord(_ id: String) -> CommandFailure {
        CommandFailure("no annotation \(id) in this layer" + (damage.map { "; " + $0 } ?? ""))
    }

    /// A sentence that names the damage; nil if none was met.
    private var damage: String? {
        let all = [OwnFileDamage.failure(own?.damaged ?? []), damageOfCopy].compactMap { $0 }
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    private var damageOfCopy: String? {
        do throws(InstantError) {
            let damage = try descriptor.damage()
            guard !damage.isEmpty else { return nil }
            return "the local copy is damaged and incomplete: \(damage.map(\.description).shortList); "
                + "repair it with postilla storage repair"
        } catch { return error.message }
    }
}
